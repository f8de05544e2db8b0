import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { COMMANDS } from '../../tools/commands.ts'
import { parseWorkspace } from '../../src/runtime/documents.ts'
import { ROOT_PATH } from '../../src/runtime/root.ts'

const DEPLOY = join(ROOT_PATH, 'deploy')
const CHART = join(DEPLOY, 'helm/release-governance')
const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8')
const files = readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => join(entry.parentPath, entry.name).slice(DEPLOY.length + 1))

/** Whether a command of `svc` takes these arguments. */
function expectCommand([name, ...args]: readonly string[]): void {
  const options = COMMANDS.find(command => command.name === name)?.options
  const flags = options?.map(option => option.flags.split(' ')[0])
  for (const arg of args.filter(each => each.startsWith('--'))) expect(flags).toContain(arg)
  expect(flags).toBeDefined()
}

test('variables are those that the service reads', () => {
  const environment = readFileSync(join(ROOT_PATH, 'src/runtime/environment.ts'), 'utf8')
  const known = new Set(environment.match(/\bSERVICE_\w+/g))
  const used = files.flatMap(file => read(file).match(/\bSERVICE_\w+/g) ?? [])
  expect(used.length).toBeGreaterThan(10)
  expect(used.filter(name => !known.has(name))).toEqual([])
})

test('the configurations are some, without a word that is not known', async () => {
  const warnings: unknown[] = []
  const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'))
  for (const config of [read('service.yaml'), JSON.stringify(values.config)])
    await parseWorkspace(config, (...said) => void warnings.push(said))
  expect(warnings).toEqual([])
})

describe('compose', () => {
  const compose = parse(read('compose.yaml'))
  const { service, prometheus } = compose.services

  test('asks for the variables that the example names', () => {
    const variables = new Set(Array.from(read('compose.yaml').matchAll(/\$\{(\w+)/g), ([, name]) => name))
    const example = Array.from(read('example.env').matchAll(/^(\w+)=/gm), ([, name]) => name)
    expect(variables).toEqual(new Set(example))
  })

  test('mounts and builds what is there', () => {
    const mounts = [...service.volumes, ...prometheus.volumes].filter((mount: string) =>
      mount.startsWith('.'),
    )
    expect(mounts).toHaveLength(3)
    for (const mount of mounts) expect(existsSync(join(DEPLOY, mount.split(':')[0]))).toBe(true)
    const { context, dockerfile } = service.build
    expect(existsSync(join(DEPLOY, context, dockerfile))).toBe(true)
    expect(existsSync(join(DEPLOY, context, `${dockerfile}.dockerignore`))).toBe(true)
  })

  test('has a Prometheus that scrapes the service by the job of the rules', () => {
    const config = parse(read('prometheus.yml'))
    const [job] = config.scrape_configs
    const rules = readFileSync(join(ROOT_PATH, 'docs/monitoring/alerts.yml'), 'utf8')
    expect(rules).toContain(`job="${job.job_name}"`)
    expect(job.static_configs[0].targets).toEqual(['service:8765'])
    expect(job.authorization.credentials_file).toBe(`/run/secrets/${prometheus.secrets[0]}`)
    for (const file of config.rule_files as string[]) {
      expect(existsSync(join(DEPLOY, file))).toBe(true)
      expect(prometheus.volumes.join()).toContain(`:${posix.join('/etc/prometheus', file)}:ro`)
    }
  })

  test('gives the container no more than it needs', () => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] })
    for (const port of [...service.ports, ...prometheus.ports]) expect(port).toMatch(/^127\.0\.0\.1:/)
  })
})

describe('the chart', () => {
  const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'))
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'))
  const valid = new Ajv({ strict: false }).compile(schema)
  const templates = readdirSync(join(CHART, 'templates')).map(name =>
    read(`helm/release-governance/templates/${name}`),
  )

  test('has values that its schema knows, each of them used', () => {
    expect(valid(values), JSON.stringify(valid.errors)).toBe(true)
    const used = templates
      .join()
      .match(/\.Values\.[\w.]+/g)!
      .map(path => path.split('.').slice(2))
    const unknown = used.filter(path => path.reduce((at, key) => at?.[key], values) === undefined)
    expect(unknown).toEqual([])
    expect(Object.keys(values).filter(key => !used.some(([first]) => first === key))).toEqual([])
    expect(Object.keys(schema.properties).toSorted()).toEqual([...Object.keys(values), 'global'].toSorted())
  })

  test.each([
    [{ replica: 2 }],
    [{ replicas: '2' }],
    [{ auth: { existingSecret: 5 } }],
    [{ auth: { secret: 'x' } }],
    [{ service: { ...values.service, port: 0 } }],
    [{ serviceMonitor: { enabled: 'yes' } }],
  ])('refuses %j', change => {
    expect(valid({ ...values, ...change })).toBe(false)
  })

  test('is of the version of the package, and starts what there is', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT_PATH, 'package.json'), 'utf8'))
    expect(parse(read('helm/release-governance/Chart.yaml'))).toMatchObject({ version, appVersion: version })
    const [, args] = /^ *args: \[(.*)\]$/m.exec(templates.join('\n'))!
    expectCommand(args!.split(', '))
  })
})

test('the unit of systemd starts what there is, where its directories are', () => {
  const unit = read('systemd/release-governance.service')
  const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1]!
  const [program, ...args] = setting('ExecStart').split(' ')
  expect(program).toBe('/usr/local/bin/svc')
  expectCommand(args)
  expect(setting('WorkingDirectory')).toBe(`/var/lib/${setting('StateDirectory')}`)
  const doc = readFileSync(join(ROOT_PATH, 'docs/deploy.md'), 'utf8')
  for (const path of [setting('WorkingDirectory'), setting('EnvironmentFile'), `useradd --system --home-dir`])
    expect(doc).toContain(path)
  expect(doc).toContain(dirname(program!).replace('/bin', ' '))
})

test('the package of docs/deploy.md has its name', () => {
  const { name, version } = JSON.parse(readFileSync(join(ROOT_PATH, 'package.json'), 'utf8'))
  expect(readFileSync(join(ROOT_PATH, 'docs/deploy.md'), 'utf8')).toContain(`/tmp/${name}-${version}.tgz`)
})
