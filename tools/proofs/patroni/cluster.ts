import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../../test/support/processes/free_port.ts'
import { debianPackages } from '../packages.ts'
import { type Link, linkTo } from './link.ts'

/** What Patroni, etcd, HAProxy and PostgreSQL need in addition to what a small Debian has. */
const PACKAGES =
  `patroni etcd-server haproxy postgresql-15 postgresql-client-15 libpq5 libllvm14 python3-psycopg2
  python3-etcd python3-dateutil python3-prettytable python3-urllib3 python3-yaml python3-click python3-colorama
  python3-psutil python3-six python3-wcwidth python3-dnspython python3-cdiff python3-pkg-resources libyaml-0-2
  liblua5.3-0 libopentracing-c-wrapper0 libopentracing1`.split(/\s+/)
const LIBRARIES = 'usr/lib/x86_64-linux-gnu'
/** PostgreSQL does not run as root. */
const NOBODY = 65_534
const PASSWORD = 's3cret-of-proofs'

/** Seconds until the others take a leader for lost. The least that Patroni takes. */
const TTL = 20

/** A member: Patroni and the PostgreSQL that it runs. */
interface Node {
  readonly name: string
  readonly data: string
  readonly patroni: ChildProcess
  /** Its ways from and to all others. */
  readonly links: Readonly<Record<'store' | 'database' | 'status', Link>>
}

/** What is done to a leader, and taken back. */
export interface Fault {
  /** Seconds after which writes have to be back. */
  readonly within: number
  readonly strike: (leader: Node) => void
  readonly mend: (leader: Node) => void
}

export const FAULTS: Readonly<Record<string, Fault>> = {
  'PostgreSQL killed': {
    within: 15,
    strike: leader => signal(databaseOf(leader), 'SIGKILL'),
    mend: () => {},
  },
  paused: {
    within: TTL + 15,
    strike: leader => signal([leader.patroni.pid!, ...databaseOf(leader)], 'SIGSTOP'),
    mend: leader => signal([leader.patroni.pid!, ...databaseOf(leader)], 'SIGCONT'),
  },
  partitioned: {
    within: TTL + 15,
    strike: ({ links }) => Object.values(links).forEach(link => link.cut()),
    mend: ({ links }) => Object.values(links).forEach(link => link.mend()),
  },
}

export interface PatroniCluster {
  /** DSN of the leader, by way of HAProxy. */
  readonly url: string
  /** Resolves once all three run, and one of them is a synchronous standby; with the leader. */
  readonly whole: () => Promise<Node>
  readonly stop: () => Promise<void>
}

/** Three nodes, an etcd and a HAProxy on loopback, below `folder`. */
export async function startPatroni(folder: string): Promise<PatroniCluster> {
  const root = join(folder, 'programs')
  // Where the cache is, another user may not get to.
  execFileSync('cp', ['-a', debianPackages('patroni', PACKAGES), root])
  const isRoot = process.getuid?.() === 0
  const environment = {
    PATH: process.env.PATH,
    HOME: folder,
    LD_LIBRARY_PATH: join(root, LIBRARIES),
    PYTHONPATH: join(root, 'usr/lib/python3/dist-packages'),
  }
  const start = (name: string, program: string, args: readonly string[]): ChildProcess => {
    const log = openSync(join(folder, `${name}.log`), 'a')
    const child = spawn(program, args, {
      cwd: folder,
      env: environment,
      stdio: ['ignore', log, log],
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    })
    closeSync(log)
    return child
  }
  chmodSync(folder, isRoot ? 0o777 : 0o700)
  const [store, peer] = [await freePort(), await freePort()]
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${store}`, `http://127.0.0.1:${peer}`]
  const options = {
    name: 'store',
    'data-dir': join(folder, 'store'),
    'listen-client-urls': clientUrl,
    'advertise-client-urls': clientUrl,
    'listen-peer-urls': peerUrl,
    'initial-advertise-peer-urls': peerUrl,
    'initial-cluster': `store=${peerUrl}`,
    'enable-v2': 'true',
  }
  const etcd = start(
    'etcd',
    join(root, 'usr/bin/etcd'),
    Object.entries(options).map(([name, value]) => `--${name}=${value}`),
  )
  await until(async () => (await fetch(`${clientUrl}/health`)).ok)
  const nodes: Node[] = []
  for (const name of ['one', 'two', 'three']) {
    const [database, status] = [await freePort(), await freePort()]
    const links = {
      store: await linkTo(store),
      database: await linkTo(database),
      status: await linkTo(status),
    }
    const data = join(folder, name)
    const config = join(folder, `${name}.yml`)
    writeFileSync(config, JSON.stringify(configOf(name, { root, data, database, status, links })))
    const patroni = start(name, '/usr/bin/python3', [join(root, 'usr/bin/patroni'), config])
    nodes.push({ name, data, patroni, links })
  }
  const port = await freePort()
  writeFileSync(join(folder, 'haproxy.cfg'), haproxyOf(port, nodes))
  const haproxy = start('haproxy', join(root, 'usr/sbin/haproxy'), ['-db', '-f', join(folder, 'haproxy.cfg')])
  const ask = async <T>({ links }: Node, path: string): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${links.status.port}/${path}`, {
      signal: AbortSignal.timeout(5000),
    })
    return (await answer.json()) as T
  }
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    whole: async () => {
      let leader: Node | undefined
      await until(async () => {
        // What the store says of a member may be as old as the ttl, so each is read itself.
        const all = await Promise.all(nodes.map(node => ask<Status>(node, 'patroni')))
        const leaders = nodes.filter((_, index) => all[index]!.role === 'master')
        leader = leaders[0]
        // The others take over from a leader only once the store says who has all that it has.
        const { members } = await ask<{ members: readonly Status[] }>(nodes[0]!, 'cluster')
        const { timeline, replication = [] } = all.find(({ role }) => role === 'master')!
        return (
          leaders.length === 1 &&
          all.every(each => each.state === 'running' && each.timeline === timeline) &&
          replication.filter(({ state }) => state === 'streaming').length === nodes.length - 1 &&
          replication.some(({ sync_state }) => sync_state === 'sync') &&
          members.some(({ role }) => role === 'sync_standby')
        )
      })
      return leader!
    },
    stop: async () => {
      for (const child of [...nodes.map(({ patroni }) => patroni), haproxy, etcd]) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        const gone = once(child, 'exit')
        child.kill('SIGKILL')
        await gone
      }
      // Nobody starts them again.
      for (const node of nodes) signal(databaseOf(node), 'SIGKILL')
      for (const { links } of nodes) for (const link of Object.values(links)) await link.close()
    },
  }
}

/** What a member says of itself. */
interface Status {
  readonly role: string
  readonly state: string
  readonly timeline?: number
  /** Of a leader: who follows it. */
  readonly replication?: readonly { readonly state: string; readonly sync_state: string }[]
}

function configOf(
  name: string,
  of: {
    readonly root: string
    readonly data: string
    readonly database: number
    readonly status: number
    readonly links: Node['links']
  },
) {
  const { root, data, database, status, links } = of
  return {
    scope: 'ledger',
    name,
    restapi: { listen: `127.0.0.1:${status}`, connect_address: `127.0.0.1:${links.status.port}` },
    // A list of proxies is not queried for other members.
    // By etcd 3's API Patroni before 3.0.3 takes the lock from whom was elected meanwhile: github.com/patroni/patroni/pull/2689.
    etcd: { host: `127.0.0.1:${links.store.port}`, use_proxies: true },
    bootstrap: {
      dcs: {
        ttl: TTL,
        loop_wait: 2,
        retry_timeout: 5,
        synchronous_mode: true,
        postgresql: { parameters: { max_connections: 60 } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${database}`,
      connect_address: `127.0.0.1:${links.database.port}`,
      data_dir: data,
      bin_dir: join(root, 'usr/lib/postgresql/15/bin'),
      pgpass: `${data}.pgpass`,
      authentication: {
        superuser: { username: 'postgres', password: PASSWORD },
        replication: { username: 'replicator', password: PASSWORD },
      },
      parameters: { unix_socket_directories: '' },
      pg_hba: ['host replication all 127.0.0.1/32 md5', 'host all all 127.0.0.1/32 md5'],
      // Who was the leader is copied again, not rewound.
      remove_data_directory_on_diverged_timelines: true,
    },
  }
}

/** Patroni's own example, with checks every second. */
function haproxyOf(port: number, nodes: readonly Node[]): string {
  const servers = nodes.map(
    ({ name, links }) =>
      `  server ${name} 127.0.0.1:${links.database.port} maxconn 100 check port ${links.status.port}`,
  )
  return `${[
    'defaults',
    '  mode tcp',
    '  retries 2',
    '  timeout client 30m',
    '  timeout connect 4s',
    '  timeout server 30m',
    '  timeout check 2s',
    'listen primary',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk OPTIONS /primary',
    '  http-check expect status 200',
    '  default-server inter 1s fall 3 rise 1 on-marked-down shutdown-sessions',
    ...servers,
  ].join('\n')}\n`
}

/** The processes of a PostgreSQL; none where it doesn't run. */
function databaseOf({ data }: Pick<Node, 'data'>): number[] {
  try {
    const first = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8')
    return [first, ...children.trim().split(' ').filter(Boolean).map(Number)]
  } catch {
    return []
  }
}

function signal(pids: readonly number[], name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It ended by itself.
    }
  }
}

/** Asks until it is so. Throws after five minutes. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 300_000
  for (;;) {
    try {
      if (await isSo()) return
    } catch {
      // Nobody answers yet.
    }
    if (performance.now() > end) throw new Error('the cluster did not come up in five minutes')
    await delay(200)
  }
}
