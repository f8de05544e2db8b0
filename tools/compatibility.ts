import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { ROOT_PATH } from '../src/runtime/root.ts'
import { compare, isBefore, leastVersion } from './compatibility/compare.ts'
import { describe } from './compatibility/describe.ts'
import { STABLE, readStable } from './compatibility/stable.ts'

// Part of a release: notes what its users may build upon from then on, unless its number promises more than it keeps.
const { version } = JSON.parse(readFileSync(`${ROOT_PATH}package.json`, 'utf8')) as { version: string }
const now = await describe()
if (existsSync(ROOT_PATH + STABLE)) {
  const stable = readStable()
  const difference = compare(stable.lines, now)
  const least = leastVersion(stable.version, difference)
  for (const text of difference.major) process.stdout.write(`breaks: ${text}\n`)
  for (const text of difference.minor) process.stdout.write(`adds: ${text}\n`)
  if (least !== undefined && isBefore(version, least)) {
    process.stderr.write(
      `After ${stable.version} this has to be ${least} or later; package.json says ${version}.\n`,
    )
    process.exit(1)
  }
}
writeFileSync(ROOT_PATH + STABLE, `${version}\n${now.join('\n')}\n`)
