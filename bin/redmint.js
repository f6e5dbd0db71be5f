#!/usr/bin/env node
// The command `redmint`: of a package its compiled form, in a clone its sources, which no pull leaves behind.
import { existsSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'

// What a start makes is soon garbage, and V8 keeps the room that it took: a fifth of the memory. Without it many requests at
// once cost a twentieth more time, which only a server for development can spare.
if (process.argv[2] === 'dev') setFlagsFromString('--semi-space-growth-factor=1')

if (existsSync(new URL('../cli.ts', import.meta.url))) {
  await import('../scripts/typescript.mjs')
  await import('../cli.ts')
} else await import('../dist/cli.js')
