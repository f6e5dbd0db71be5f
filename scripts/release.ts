// Makes a release: `npm run release -- <version>`.
import { makeRelease } from './make-release.ts'
import { publicInterface } from './public-interface.ts'

const [version, ...rest] = process.argv.slice(2)
try {
  if (version === undefined || rest.length > 0) throw new Error('Usage: npm run release -- <version>')
  const tag = makeRelease(process.cwd(), version, new Date(), await publicInterface())
  console.log(`${tag} is committed and tagged. To publish it: git push --follow-tags && npm publish`)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
