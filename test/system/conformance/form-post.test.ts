// The plan oidcc-formpost-basic-certification-test-plan: the modules of the Basic profile with form_post.
import t from 'tap'
import { startPlan } from './plan.ts'
import { requestModules } from './request-modules.ts'
import { responseModules } from './response-modules.ts'

const plan = await startPlan(t, 'form_post')
responseModules(t, plan)
requestModules(t, plan)
