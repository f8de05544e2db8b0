import { describe, expect, test } from 'vitest'
import { SqlError } from '../../../src/sql/port.ts'
import { databaseName, readSettings } from '../../../src/sql/postgres/settings.ts'

describe('hosts', () => {
  test.each<[string, Record<string, string>, (readonly [string, number])[]]>([
    ['postgres://db/x', {}, [['db', 5432]]],
    ['postgresql://u:p@db:6000/x', {}, [['db', 6000]]],
    [
      'postgres://a:1,b:2/x',
      {},
      [
        ['a', 1],
        ['b', 2],
      ],
    ],
    [
      'postgres://a,b:2/x',
      { PGPORT: '7' },
      [
        ['a', 7],
        ['b', 2],
      ],
    ],
    ['postgres://[::1]:5433/x', {}, [['::1', 5433]]],
    [
      'postgres://[2001:db8::1],[::1]:2/x',
      {},
      [
        ['2001:db8::1', 5432],
        ['::1', 2],
      ],
    ],
    ['postgres:///x', {}, [['localhost', 5432]]],
    [
      'postgres:///x',
      { PGHOST: 'a,b', PGPORT: '1,2' },
      [
        ['a', 1],
        ['b', 2],
      ],
    ],
    ['postgres:///x', { PGHOST: '/run/postgresql' }, [['/run/postgresql', 5432]]],
    ['postgres:///x', { PGHOST: 'fe80::1', PGPORT: '9' }, [['fe80::1', 9]]],
    ['postgres:///x?host=/run/postgresql&port=6', {}, [['/run/postgresql', 6]]],
    ['postgres://%2Frun%2Fpostgresql/x', {}, [['/run/postgresql', 5432]]],
  ])('of %s with %j', (url, variables, hosts) => {
    expect(readSettings(url, variables).hosts).toEqual(hosts.map(([host, port]) => ({ host, port })))
  })
})

test.each([
  ['postgres://u@db/x', {}, { sslmode: 'disable', sessionAttrs: 'any', prepare: 'frequent', max: 10 }],
  ['postgres://db/x?sslmode=verify-ca', { PGSSLMODE: 'require' }, { sslmode: 'verify-ca' }],
  ['postgres://db/x', { PGSSLMODE: 'require' }, { sslmode: 'require' }],
  ['postgres://db/x?sslrootcert=/ca.pem', {}, { sslmode: 'verify-full', sslrootcert: '/ca.pem' }],
  ['postgres://db/x', { PGSSLROOTCERT: '/ca.pem' }, { sslmode: 'verify-full', sslrootcert: '/ca.pem' }],
  ['postgres://db/x', { PGPASSFILE: '/secrets/pgpass' }, { passfile: '/secrets/pgpass' }],
  ['postgres://db/x', { PGUSER: 'u', PGPASSWORD: 'p' }, { user: 'u', password: 'p' }],
  ['postgres://a%40b:p%3Aq@db/x%20y', {}, { user: 'a@b', password: 'p:q', database: 'x y' }],
  ['postgres://db', { PGDATABASE: 'ledger' }, { database: 'ledger' }],
  ['postgres://a,b/x?target_session_attrs=primary', {}, { sessionAttrs: 'primary' }],
  ['postgres://a,b/x', { PGTARGETSESSIONATTRS: 'standby' }, { sessionAttrs: 'standby' }],
  ['postgres://db/x?prepare=true', {}, { prepare: 'all' }],
  ['postgres://db/x?prepare=false', {}, { prepare: 'none' }],
  ['postgres://db/x?connect_timeout=3&query_timeout=7', {}, { connectTimeoutMs: 3000, queryTimeoutMs: 7000 }],
])('%s with %j says %j', (url, variables, settings) => {
  expect(readSettings(url, variables)).toMatchObject(settings)
})

test('what is the client’s own never reaches the server, and what is the server’s does', () => {
  const own = ['channel_binding=require', 'gssencmode=disable', 'keepalives=1', 'keepalives_idle=30']
  const url = `postgres://db/x?${own.join('&')}&sslmode=require&max=3&search_path=gate&options=-c%20work_mem=8MB`
  expect(readSettings(url).startup).toEqual({ search_path: 'gate', options: '-c work_mem=8MB' })
})

test.each([
  ['postgres://u:hidden@db/x?sslmode=verify_full', 'sslmode=verify_full; it must be one of disable, prefer'],
  ['postgres://u:hidden@db/x?sslmode=allow', 'sslmode=allow'],
  ['postgres://u:hidden@db/x?target_session_attrs=leader', 'target_session_attrs=leader'],
  ['postgres://u:hidden@db/x?max=0', 'max=0'],
  ['postgres://u:hidden@db/x?query_timeout=soon', 'query_timeout=soon'],
  ['postgres://u:hidden@db/x?prepare=yes', 'prepare=yes; it must be true or false'],
  ['postgres://u:hidden@db:70000/x', 'the port 70000'],
  ['postgres://u:hidden@db:/x', "the host 'db:'"],
  ['postgres://u:hidden@::1:5432/x', "the host '::1:5432'"],
  ['postgres://u:hidden@a,/x', "the host ''"],
  ['postgres://u:hidden%@db/x', 'a password with a % that encodes nothing'],
  ['postgres://u:hidden@db/x#y', 'is not a valid postgres:// URL'],
  ['db.example.com', 'is not a valid postgres:// URL'],
])('%s is refused, by name', (url, said) => {
  const failure = failureOf(url)
  expect(failure.kind).toBe('unavailable')
  expect(failure.message).toContain(said)
  expect(failure.message).not.toContain('hidden')
})

test.each([
  ['postgres://u:hidden@a:1,b:2/x?max=3', 'postgres://a:1,b:2/x'],
  ['postgres://u:hidden@[::1]/x', 'postgres://[::1]/x'],
  ['postgres://u:hidden%@db/x', 'PostgreSQL'],
])('for people %s is %s', (url, name) => {
  expect(databaseName(url)).toBe(name)
})

function failureOf(url: string): SqlError {
  try {
    readSettings(url)
  } catch (error) {
    if (error instanceof SqlError) return error
    throw error
  }
  throw new Error(`${url} was taken`)
}
