import type { Operation } from '../operation/operation.ts'

/**
 * Returns the methods of the operations at a path; none if there is no such path.
 * @param url the target of the request, with what is in front of the API
 */
export function methodsAt(operations: readonly Operation[], url: string, prefix: string): string[] {
  const [path = ''] = url.slice(prefix.length).split('?')
  const given = path.split('/')
  const at = operations.filter(({ path: known }) => {
    const parts = known.split('/')
    return (
      parts.length === given.length &&
      parts.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
    )
  })
  return [...new Set(at.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
}
