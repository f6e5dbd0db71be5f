/** The client by which people sign in at the command: public, by the device grant. */
export const COMMAND_CLIENT = 'redmint-command'
