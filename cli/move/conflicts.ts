/** What to do with a record that is there with other fields. */
export const CONFLICTS = ['refuse', 'keep', 'replace'] as const
export type OnConflict = (typeof CONFLICTS)[number]
