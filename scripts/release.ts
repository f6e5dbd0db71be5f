// Makes a release, `npm run release -- <version>`; or the files of the version that is checked out, `npm run release -- --files`.
import { makeRelease } from './make-release.ts'
import { publicInterface } from './public-interface.ts'
import { FILES, makeReleaseFiles } from './release-files.ts'

const [version, ...rest] = process.argv.slice(2)
try {
  if (version === undefined || rest.length > 0)
    throw new Error('Usage: npm run release -- <version>, or npm run release -- --files')
  if (version === '--files') {
    console.log(`In ${FILES}/: ${makeReleaseFiles(process.cwd()).join(', ')}`)
  } else {
    const tag = makeRelease(process.cwd(), version, new Date(), await publicInterface())
    console.log(`${tag} is committed and tagged. To publish it: git push --follow-tags`)
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
