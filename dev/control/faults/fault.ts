import { Type } from '@sinclair/typebox'
import { ControlError } from '../control-error.ts'
import { ENDPOINT_NAMES, type EndpointName } from '../endpoints.ts'
import { devOperation } from '../operation.ts'
import { FAULT_NAMES, type FaultName, REQUEST_FAULTS, type RequestFault } from './request-faults.ts'

const OPTIONS = ['status', 'error', 'ms'] as const
const MAX_TIMES = 1_000_000

/** Has something go wrong at an endpoint. */
export const FAULT = devOperation({
  summary: 'Something goes wrong with the next requests at an endpoint, until the next reset',
  method: 'POST',
  path: '/faults',
  call: 'fault(endpoint, name, times, { … })',
  input: Type.Object(
    {
      endpoint: Type.Unsafe<EndpointName>(
        Type.String({ enum: ENDPOINT_NAMES, description: 'as the metadata of the server names it' }),
      ),
      fault: Type.Unsafe<FaultName>(Type.String({ enum: FAULT_NAMES })),
      times: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_TIMES, description: 'for so many requests; by default 1' }),
      ),
      status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599, description: 'of the fault status' })),
      error: Type.Optional(
        Type.String({ pattern: '^[a-z_]{1,64}$', description: 'the error code of the fault status' }),
      ),
      ms: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 600_000, description: 'milliseconds of the fault slow' }),
      ),
    },
    { additionalProperties: false },
  ),
  async run({ faults }, { endpoint, fault: name, times = 1, ...options }) {
    const { at, takes = [] }: RequestFault = REQUEST_FAULTS[name]
    if (at?.includes(endpoint) === false)
      throw new ControlError(`${name} cannot happen at ${endpoint}, but at ${at.join(', ')}.`)
    const odd = OPTIONS.filter((option) => options[option] !== undefined && !takes.includes(option))
    if (odd.length > 0) throw new ControlError(`${name} takes no ${odd.join(', ')}.`)
    faults.add(endpoint, name, times, options)
  },
})
