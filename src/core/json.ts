/** The object that a JSON text is, or undefined where it is none. Ask for members by Object.hasOwn. */
export function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a value is an object with members, and no array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
