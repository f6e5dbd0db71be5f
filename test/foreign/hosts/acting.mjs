// Prints the token with which the API acts at another one.
import { tokenFor } from './exchange.mjs'

console.log(await tokenFor(process.env.OTHER_API, process.env.TOKEN))
