type OptionalKey<T> = { [Key in keyof T]-?: undefined extends T[Key] ? Key : never }[keyof T]

/** The properties of T; those that may be undefined are optional, and never undefined. */
export type Present<T> = { [Key in Exclude<keyof T, OptionalKey<T>>]: T[Key] } & {
  [Key in OptionalKey<T>]?: Exclude<T[Key], undefined>
}

/** Returns a copy without the properties whose value is undefined. */
export function present<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>
}
