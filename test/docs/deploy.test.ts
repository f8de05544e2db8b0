import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { makeWorkspace } from '../support/processes/cli.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'

const DOC = readFileSync(join(ROOT_PATH, 'docs/deploy.md'), 'utf8')
const snippets = (language: string): string =>
  Array.from(DOC.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g')), ([, text]) => text).join('')

/**
 * Runs snippets unchanged, with doubles of the programs that would change the machine. They write down what
 * they are called with; commands of `svc` that they are to run somewhere run in a folder.
 */
function follow(script: string, programs: readonly string[]) {
  const { folder } = makeWorkspace()
  const [bin, data, log] = [join(folder, 'bin'), join(folder, 'data'), join(folder, 'calls')]
  mkdirSync(bin)
  mkdirSync(data)
  cpSync(join(ROOT_PATH, 'deploy'), join(folder, 'deploy'), { recursive: true })
  writeFileSync(log, '')
  // Where the chart puts one.
  if (programs.includes('helm')) writeFileSync(join(data, 'service.yaml'), '{}')
  const svc = `"${process.execPath}" "${join(ROOT_PATH, 'bin/svc.cjs')}"`
  for (const program of programs) {
    const file = join(bin, program)
    writeFileSync(
      file,
      `#!/bin/bash
printf '%s\\x1f' ${program} "$@" >> "${log}"
echo >> "${log}"
case "$*" in
  "run --rm"*) cd "${data}" && exec ${svc} "\${@: -1}" ;;
  *" svc doctor" | *" svc init") cd "${data}" && exec ${svc} "\${@: -1}" ;;
esac
`,
    )
    chmodSync(file, 0o755)
  }
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      SERVICE_LOCAL_API_TOKEN: 'of-the-test',
    },
  })
  expect(status, stderr).toBe(0)
  const calls = readFileSync(log, 'utf8').trimEnd().split('\n')
  return { folder, stdout, calls: calls.map(line => line.split('\x1f').slice(0, -1)) }
}

test('what docs/deploy.md does with Docker', () => {
  const { folder, calls, stdout } = follow(snippets('sh docker'), ['docker'])
  expect(stdout).toMatch(/wrote service\.yaml\n[^]*audit_chain/)
  const [build, , init, run] = calls
  expect(existsSync(join(ROOT_PATH, build![build!.indexOf('-f') + 1]!))).toBe(true)
  const image = build![build!.indexOf('-t') + 1]
  expect([init!.at(-2), run!.at(-1)]).toEqual([image, image])
  const composed = calls.filter(([, command]) => command === 'compose')
  expect(composed).toHaveLength(2)
  for (const call of composed) expect(existsSync(join(ROOT_PATH, call[3]!))).toBe(true)
  const { services } = parse(readFileSync(join(ROOT_PATH, 'deploy/compose.yaml'), 'utf8'))
  expect(services).toHaveProperty(composed[1]![5]!)
  const env = readFileSync(join(folder, 'deploy/.env'), 'utf8')
  expect(env.match(/^\w+=[0-9a-f]{64}$/gm)).toHaveLength(4)
})

test('what it does with Helm', () => {
  const { calls } = follow(snippets('sh helm'), ['helm', 'kubectl'])
  const values = parse(readFileSync(join(ROOT_PATH, 'deploy/helm/release-governance/values.yaml'), 'utf8'))
  const helm = calls.filter(([program]) => program === 'helm')
  expect(helm.map(call => call[1])).toEqual(['install', 'upgrade'])
  for (const call of helm) {
    expect(existsSync(join(ROOT_PATH, call[3]!, 'Chart.yaml'))).toBe(true)
    for (const set of call.filter((_, index) => call[index - 1] === '--set')) {
      const path = set.split('=')[0]!.split('.')
      expect(
        path.reduce((at, key) => at?.[key], values),
        set,
      ).toBeDefined()
    }
  }
  const secrets = calls
    .filter(call => call.includes('secret'))
    .map(call => call.filter(arg => arg.startsWith('--from')))
  const keys = new Set([...Object.values(values.auth.keys), ...Object.values(values.database.keys)])
  for (const literal of secrets.flat()) expect(keys).toContain(literal.split('=')[1])
  expect(secrets.flat()).toHaveLength(3)
})

test('what it does with systemd', () => {
  // Its folders and files are the machine's own.
  const script = snippets('sh systemd').replaceAll(/(?<=\s)\/(?:etc|var\/lib)(?=\/)/g, '"$PWD"$&')
  const programs = ['npm', 'useradd', 'runuser', 'systemctl', 'install']
  const { folder, calls, stdout } = follow(
    `mkdir -p etc/systemd/system etc/release-governance var/lib/release-governance\n${script}`,
    programs,
  )
  expect(calls.map(([program]) => program)).toEqual([
    'npm',
    'npm',
    'npm',
    'useradd',
    'install',
    'runuser',
    'systemctl',
    'systemctl',
  ])
  expect(stdout).toContain('wrote service.yaml')
  expect(readFileSync(join(folder, 'etc/release-governance/environment'), 'utf8')).toMatch(
    /^SERVICE_LOCAL_API_TOKEN=[0-9a-f]{64}\n$/,
  )
  expect(existsSync(join(folder, 'etc/systemd/system/release-governance.service'))).toBe(true)
  expect(calls.at(-1)).toEqual(['systemctl', 'enable', '--now', 'release-governance'])
})
