/** How long a preview lives if nothing else is said, and at least and at most; in seconds. */
export const PREVIEW_LIVES = { default: 3 * 86_400, minimum: 300, maximum: 14 * 86_400 } as const
