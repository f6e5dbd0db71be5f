/** Returns a part of storage, some methods of which are others. */
export function instead<Part extends object>(part: Part, others: Partial<Part>): Part {
  return new Proxy(part, {
    get(target, name) {
      const value = Reflect.get(others, name) ?? Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
