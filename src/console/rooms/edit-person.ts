import { editAction } from '../edit.ts'
import type { ConsoleAction } from '../rows.ts'

export const EDIT_PERSON: readonly ConsoleAction[] = [
  editAction({
    section: 'people',
    noun: 'person',
    path: '/people/:username',
    record: 'user',
    first: ['claims', 'admin', 'second_factor'],
  }),
]
