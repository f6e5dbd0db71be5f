import { METRICS_MAX_AGE } from '../../../plugins/metrics.ts'
import type { Service } from '../service.ts'

/** Reads the metrics whose value is not 0, by name and labels. `pass` moves the clock of the service. */
export function reader(get: Service['get'], pass: (ms: number) => void) {
  return async (name: string) => {
    pass(METRICS_MAX_AGE)
    const { text } = await get('/actuator/prometheus')
    const lines = text.split('\n').filter((line) => line.startsWith(name) && !line.endsWith(' 0'))
    return lines.map((line) => line.slice(name.length))
  }
}
