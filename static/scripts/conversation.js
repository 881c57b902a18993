// The page of one annotation's comments.
import { startComments } from "./comments.js";

startComments();
