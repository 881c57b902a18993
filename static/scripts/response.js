// Pages that show a response and what is said of it: comments, also on words of its texts.
import { startComments } from "./comments.js";
import { fitFolds } from "./folds.js";
import { startQuoting } from "./quoting.js";

fitFolds();
startComments();
startQuoting();
