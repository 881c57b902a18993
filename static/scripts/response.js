// The page of a response: comments on words of it.
import { startQuoting } from "./quoting.js";

startQuoting();
