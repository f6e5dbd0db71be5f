/** Where a server is to listen, and the variables that say so. */
export interface Place {
  host: string
  port: number
  variables: { host: string; port: string }
}

/** Returns why a server cannot listen at a place, and what to do, as two sentences. */
export function listenProblem({ code, message }: NodeJS.ErrnoException, place: Place): string {
  const { host, port, variables } = place
  const where = `${variables.port} ${port} on ${host} cannot be used`
  switch (code) {
    case 'EADDRINUSE':
      return `${where}: another program listens there. Set ${variables.port} to a free port, or stop that program (ss -ltnp sport = :${port} names it).`
    case 'EACCES':
      return `${where}: this user may not listen there. Set ${variables.port} to a port from 1024 on, and let a balancer or a port mapping lead to it.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${where}: ${host} is not an address of this machine. Set ${variables.host} to one that is, or to 0.0.0.0 for all.`
    default:
      return `${where}: ${message}. Correct ${variables.port} or ${variables.host}.`
  }
}
