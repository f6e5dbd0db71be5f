import { InvalidArgumentError } from 'commander'

/** Reads the value of `--port`. @throws InvalidArgumentError unless it is a port */
export function readPort(value: string): number {
  const port = Number(value)
  if (/^\d{1,5}$/.test(value) && port <= 65_535) return port
  throw new InvalidArgumentError('A port is a number from 0 to 65535.')
}
