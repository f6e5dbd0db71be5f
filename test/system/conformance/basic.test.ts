// The plan oidcc-basic-certification-test-plan: the modules of the Basic profile with query responses.
import t from 'tap'
import { startPlan } from './plan.ts'
import { requestModules } from './request-modules.ts'
import { responseModules } from './response-modules.ts'

const plan = await startPlan(t)
responseModules(t, plan)
requestModules(t, plan)
