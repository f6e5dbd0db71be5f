/** What the method is called in logs, forms and pages. */
export const NAME = 'directory'
