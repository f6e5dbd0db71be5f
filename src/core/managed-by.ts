import { text } from './field-kinds.ts'

const LABEL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

/** The field with the label of the file that declares a record. */
export const MANAGED_BY = text({
  label: 'File that declares it',
  check: labelProblem,
  setBy: 'redmint apply',
  docs: 'the label of the file of `redmint apply` that declares the record; missing: no file does',
})

/** Returns why a text cannot be a label, or undefined if it can. */
export function labelProblem(value: string): string | undefined {
  return LABEL.test(value)
    ? undefined
    : 'must be a label of 1 to 63 letters, digits, dots, dashes and underscores, such as shop-team'
}
