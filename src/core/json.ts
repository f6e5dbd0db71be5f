/** Parses JSON; returns undefined for any other text. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Parses a JSON object; returns undefined for any other text. Check members with Object.hasOwn. */
export function parseObject(json: string): Record<string, unknown> | undefined {
  const value = parseJson(json)
  return isObject(value) ? value : undefined
}

/** Whether a value is an object, and not an array or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
