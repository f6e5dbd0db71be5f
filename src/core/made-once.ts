/**
 * Returns what makes something the first time that it is asked for. A format of Intl at the top of a module would make each
 * start read megabytes of data about languages, which only a page or a command shows.
 */
export function madeOnce<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}
