// The tour of a role: begins as soon as its page is there.
import { Tour } from "./desk/tour.js";
import { all, one } from "./dom.js";

new Tour(all("#tour-stops > li"), one("#tour-template", document, HTMLTemplateElement)).start();
