import type { Check } from '../report/report.ts'
import type { Api } from './api.ts'
import { CLAIMS_CHECKS } from './claims-checks.ts'
import { REQUEST_CHECKS } from './request-checks.ts'
import { SIGNATURE_CHECKS } from './signature-checks.ts'

/** All checks of an API, in the order in which they run. */
export const API_CHECKS: readonly Check<Api>[] = [...REQUEST_CHECKS, ...SIGNATURE_CHECKS, ...CLAIMS_CHECKS]
