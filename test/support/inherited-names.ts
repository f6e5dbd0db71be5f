/** Returns the names of Object.prototype that an object inherits. */
export function inheritedNames(object: object): string[] {
  const names = Object.getOwnPropertyNames(Object.prototype)
  return names.filter((name) => name in object && !Object.hasOwn(object, name))
}
