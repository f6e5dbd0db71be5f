/**
 * Returns the acr values that do for all who demand some; undefined: nobody demands any. Empty: no sign-in does for all.
 * @param demands what each of them accepts; undefined: any
 */
export function acrForAll(
  ...demands: readonly (readonly string[] | undefined)[]
): readonly string[] | undefined {
  const [first, ...others] = demands.filter((accepted) => accepted !== undefined)
  return first?.filter((acr) => others.every((accepted) => accepted.includes(acr)))
}
