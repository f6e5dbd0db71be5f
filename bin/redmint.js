#!/usr/bin/env node
// The command `redmint`: of a package its compiled form, in a clone its sources, which no pull leaves behind.
import { existsSync } from 'node:fs'

if (existsSync(new URL('../cli.ts', import.meta.url))) {
  await import('../scripts/typescript.mjs')
  await import('../cli.ts')
} else await import('../dist/cli.js')
