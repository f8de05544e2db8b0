import { writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Sql, rowsOf, sql } from '../../../src/sql/port.ts'
import { openPostgres } from '../../../src/sql/postgres/node.ts'
import { databaseFront } from '../../support/databases/servers/front.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'
import { temporaryDatabase } from '../../support/databases/postgres.ts'
import { type Certificate, makeAuthority } from '../../support/processes/certificates.ts'
import { freePort } from '../../support/processes/free_port.ts'

type Variables = Readonly<Record<string, string>>

describe('an encrypted connection', () => {
  const authority = makeAuthority()
  const certificates = {
    good: authority.issue('localhost'),
    'of another name': authority.issue('elsewhere.example'),
    expired: authority.issue('localhost', new Date(86_400_000)),
    'of nobody known': makeAuthority().issue('localhost'),
  } satisfies Record<string, Certificate>

  test.each<[string, keyof typeof certificates, string, RegExp | undefined]>([
    ['sslmode=require', 'good', '', undefined],
    ['sslmode=require', 'of nobody known', '', undefined],
    ['sslmode=require', 'expired', '', undefined],
    ['sslmode=prefer', 'of nobody known', '', undefined],
    ['sslmode=verify-full', 'good', 'ca', undefined],
    ['no sslmode', 'good', 'ca', undefined],
    ['sslmode=verify-ca', 'of another name', 'ca', undefined],
    ['sslmode=verify-full', 'of another name', 'ca', /certificate .* is not accepted: .*altnames/],
    ['no sslmode', 'of another name', 'ca', /certificate .* is not accepted/],
    ['sslmode=verify-full', 'expired', 'ca', /certificate .* is not accepted: certificate has expired/],
    ['sslmode=verify-ca', 'expired', 'ca', /certificate .* is not accepted: certificate has expired/],
    ['sslmode=verify-full', 'of nobody known', 'ca', /certificate .* is not accepted: .*sslrootcert=FILE/],
    ['sslmode=require', 'of nobody known', 'ca', /certificate .* is not accepted/],
    ['sslmode=verify-full', 'good', '', /certificate .* is not accepted: .*sslrootcert=FILE/],
    ['sslmode=verify-full', 'good', 'missing', /the certificate file .*missing can't be read/],
  ])('with %s, a certificate %s and the authority %j', async (mode, kind, authorityFile, refusal) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'ca'), authority.cert)
    const url = await temporaryDatabase()
    const port = await databaseFront(url, { certificate: certificates[kind] })
    const query = [
      ...(mode === 'no sslmode' ? [] : [mode]),
      ...(authorityFile === '' ? [] : [`sslrootcert=${join(folder, authorityFile)}`]),
    ].join('&')
    const connection = one(`${at(url, 'localhost', port)}?${query}`)
    if (refusal === undefined) await expect(connection).resolves.toBe(1)
    else
      await expect(connection).rejects.toMatchObject({
        kind: 'unavailable',
        message: expect.stringMatching(refusal),
      })
  })

  test('by PGSSLMODE and PGSSLROOTCERT is the same', async () => {
    const path = join(temporaryFolder(), 'ca.pem')
    writeFileSync(path, authority.cert)
    const url = await temporaryDatabase()
    const port = await databaseFront(url, { certificate: certificates.good })
    const through = at(url, 'localhost', port)
    expect(await one(through, { PGSSLROOTCERT: path })).toBe(1)
    expect(await one(through, { PGSSLMODE: 'require' })).toBe(1)
    await expect(one(through, { PGSSLMODE: 'verify-full' })).rejects.toThrow('certificate')
    await expect(one(through, { PGSSLMODE: 'full' })).rejects.toThrow('PGSSLMODE')
  })

  test('that the server does not take is refused, or done without', async () => {
    const url = await temporaryDatabase()
    const port = await databaseFront(url)
    const through = at(url, 'localhost', port)
    await expect(one(`${through}?sslmode=require`)).rejects.toThrow(
      'takes no encrypted connections, and sslmode is require',
    )
    expect(await one(`${through}?sslmode=prefer`)).toBe(1)
  })
})

describe('a host', () => {
  test('that is the folder of a socket', async () => {
    const [url, folder] = [await temporaryDatabase(), temporaryFolder()]
    await databaseFront(url, { listen: { path: join(folder, '.s.PGSQL.6001') } })
    const { username, password, pathname } = new URL(url)
    const login = `postgres://${username}:${password}@`
    expect(await one(`${login}${pathname}?host=${folder}&port=6001`)).toBe(1)
    expect(await one(`${login}${encodeURIComponent(folder)}${pathname}?port=6001`)).toBe(1)
    expect(await one(`${login}${pathname}`, { PGHOST: folder, PGPORT: '6001' })).toBe(1)
    await expect(one(`${login}${pathname}?host=${folder}&port=6002`)).rejects.toThrow(
      'no socket of a database',
    )
  })

  test.skipIf(!hasIpv6())('that is an IPv6 address', async () => {
    const url = await temporaryDatabase()
    const port = await databaseFront(url, { listen: { port: 0, host: '::1' } })
    expect(await one(at(url, '[::1]', port))).toBe(1)
  })

  test('is the first of a list that answers and is of the wanted kind', async () => {
    const url = await temporaryDatabase()
    const { port } = new URL(url)
    const hosts = `127.0.0.1:${await freePort()},127.0.0.1:${port}`
    expect(await one(`${withHosts(url, hosts)}?target_session_attrs=primary`)).toBe(1)
    expect(await one(`${withHosts(url, hosts)}?target_session_attrs=read-write`)).toBe(1)
    expect(await one(withHosts(url, ''), { PGHOST: 'host.invalid,127.0.0.1', PGPORT: `1,${port}` })).toBe(1)
    await expect(
      one(`${withHosts(url, hosts)}?target_session_attrs=standby&query_timeout=2`),
    ).rejects.toThrow(`(tried ${hosts.replace(',', ', ')})`)
  })

  test('of a list that nobody answers for is given up, and each is named', async () => {
    const [a, b] = [await freePort(), await freePort()]
    const connection = one(`postgres://u@127.0.0.1:${a},127.0.0.1:${b}/x?target_session_attrs=primary`)
    await expect(connection).rejects.toThrow(
      `the database refuses the connection: is it running, and the URL right? (tried 127.0.0.1:${a}, 127.0.0.1:${b})`,
    )
  })
})

describe('PGPASSFILE', () => {
  test.each<[string, (place: Place) => string[]]>([
    [
      'the line of this place',
      ({ port, user, database, password }) => [
        '# a comment',
        `127.0.0.1:${port}:other:${user}:wrong`,
        `127.0.0.1:${port}:${database}:${user}:${password}`,
      ],
    ],
    ['stars', ({ password }) => [`*:*:*:*:${password}`]],
    ['the first line that fits', ({ password }) => [`*:*:*:*:${password}`, '*:*:*:*:wrong']],
  ])('has the password in %s', async (_what, linesOf) => {
    const url = new URL(await temporaryDatabase())
    const { port, username: user, password, pathname } = url
    const path = join(temporaryFolder(), 'pgpass')
    writeFileSync(path, linesOf({ port, user, database: pathname.slice(1), password }).join('\n'))
    url.password = ''
    expect(await one(url.toString(), { PGPASSFILE: path })).toBe(1)
  })

  test('is read for each host of a list, and named when it can not be', async () => {
    const url = new URL(await temporaryDatabase())
    const { port, username, password, pathname } = url
    const path = join(temporaryFolder(), 'pgpass')
    const unused = await freePort()
    writeFileSync(path, `127.0.0.1:${unused}:*:*:wrong\n127.0.0.1:${port}:*:*:${password}\n`)
    const both = `postgres://${username}@127.0.0.1:${unused},127.0.0.1:${port}${pathname}`
    expect(await one(both, { PGPASSFILE: path })).toBe(1)
    await expect(one(both, { PGPASSFILE: `${path}.missing` })).rejects.toThrow(
      `the password file ${path}.missing can't be read`,
    )
  })
})

test('what is the client’s own may stand in the URL', async () => {
  const url = await temporaryDatabase()
  expect(await one(`${url}?channel_binding=prefer&keepalives=1&keepalives_idle=30&gssencmode=disable`)).toBe(
    1,
  )
})

interface Place {
  readonly port: string
  readonly user: string
  readonly database: string
  readonly password: string
}

/** Asks the database for 1. */
async function one(url: string, variables: Variables = {}): Promise<unknown> {
  const db: Sql = openPostgres({ url, variables })
  onTestFinished(() => db.close())
  return (await rowsOf(db, sql`SELECT 1 AS one`))[0]!.one
}

function at(url: string, host: string, port: number): string {
  return withHosts(url, `${host}:${port}`)
}

function withHosts(url: string, hosts: string): string {
  const { username, password, pathname } = new URL(url)
  return `postgres://${username}:${password}@${hosts}${pathname}`
}

function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some(addresses =>
    addresses?.some(({ address }) => address === '::1'),
  )
}
