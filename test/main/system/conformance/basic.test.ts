// The plan oidcc-basic-certification-test-plan: the modules of the Basic profile with query responses.
import t from 'tap'
import { startPlan } from '../../../support/conformance/plan.ts'
import { requestModules } from '../../../support/conformance/request-modules.ts'
import { responseModules } from '../../../support/conformance/response-modules.ts'

const plan = await startPlan(t)
responseModules(t, plan)
requestModules(t, plan)
