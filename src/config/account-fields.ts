import { listOf, type OptionForm, splitAtCommas } from './option-form.ts'

/** The claims that people may be allowed to change themselves: none is a way to sign in, or gives a right. */
export const ACCOUNT_FIELD_NAMES = ['name', 'given_name', 'family_name', 'nickname', 'locale'] as const
export type AccountField = (typeof ACCOUNT_FIELD_NAMES)[number]

const NAMES = ACCOUNT_FIELD_NAMES.join(', ')
const isName = (text: string): text is AccountField => ACCOUNT_FIELD_NAMES.some((name) => name === text)

const LIST = listOf<AccountField>({
  variable: `none, or a list of ${NAMES}, separated by commas`,
  option: `an array of ${NAMES}`,
  isEntry: isName,
  split: (text) => splitAtCommas(text) as readonly AccountField[],
})

/** The claims that people change on their account page, in the order of the form. */
export const ACCOUNT_FIELDS: OptionForm<readonly AccountField[]> = {
  ...LIST,
  parse: (text, faults) => (text.trim() === 'none' ? [] : LIST.parse(text, faults)),
}
