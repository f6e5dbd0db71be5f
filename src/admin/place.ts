/** The path of the admin API, below the issuer. */

/** The client by which people sign in at the command: public, by the device grant. `redmint admin grant` registers it. */
export const COMMAND_CLIENT = 'redmint-command'
