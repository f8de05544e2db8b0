import { execFileSync } from 'node:child_process'
import { ROOT_PATH } from '../../src/runtime/root.ts'

/** Runs the clients again, those that are named or all, and counts what they export. Their fixtures are new afterwards. */
execFileSync(process.execPath, ['tools/captures/record.ts', ...process.argv.slice(2)], {
  cwd: ROOT_PATH,
  stdio: 'inherit',
})
execFileSync('npx', ['vitest', 'run', 'test/unit/otlp/captures.test.ts', 'test/unit/otlp/clients.test.ts'], {
  cwd: ROOT_PATH,
  stdio: 'inherit',
})
