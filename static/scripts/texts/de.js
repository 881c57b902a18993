import { learn } from "../say.js";

// Written by `python -m docs.messages`.
learn({});
