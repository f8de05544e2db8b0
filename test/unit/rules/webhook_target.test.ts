import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressProblem, hostProblem, urlProblem } from '../../../src/rules/webhook_target.ts'

/** Spellings of an address in a URL, by what they mean. */
const ALWAYS_REFUSED: Readonly<Record<string, readonly string[]>> = {
  'the metadata address': [
    '169.254.169.254',
    '169.254.169.254.',
    '2852039166',
    '0xa9fea9fe',
    '0xA9.0xFE.0xA9.0xFE',
    '0251.0376.0251.0376',
    '025177524776',
    '169.254.43518',
    '169.16689662',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[0:0:0:0:0:ffff:a9fe:a9fe]',
    '[::169.254.169.254]',
    '[::ffff:0:169.254.169.254]',
    '[64:ff9b::169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
    '[2001:0:1234:5678:0:0:5601:5601]',
    '[fe80::5efe:a9fe:a9fe]',
    '[2001:db8::5efe:a9fe:a9fe]',
    '%31%36%39.254.169.254',
    '１６９.254.169.254',
  ],
  'a local translation, by whatever prefix of its network': [
    '[64:ff9b:1::169.254.169.254]',
    '[64:ff9b:1:a9fe:a9:fe00::]',
    '[64:ff9b:1:0:a9:fea9:fe00:0]',
    '[64:ff9b:1:a9:fe:a9fe::]',
    '[64:ff9b:1::8.8.8.8]',
  ],
  'another link-local address': ['169.254.0.1', '169.254.170.2', '[fe80::1]', '[febf::1]'],
  'metadata elsewhere': [
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
  ],
  'many at once': ['224.0.0.1', '255.255.255.255', '[ff02::1]'],
}

const PRIVATE: Readonly<Record<string, readonly string[]>> = {
  loopback: [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '127.0.0.1.',
  ],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '0xC0A80101'],
  'given out to nobody': [
    '[::2]',
    '[1::1]',
    '[4000::1]',
    '[64:ff9b:2::7f00:1]',
    '[e000::1]',
    '[200::1]',
    '[64:4700:1::1]',
  ],
  'unique local': ['[fc00::1]', '[fd12:3456::1]', '[fec0::1]', '[::ffff:10.0.0.1]', '[2002:c0a8:101::]'],
  reserved: ['192.0.2.1', '198.18.0.1', '240.0.0.1', '[2001:db8::1]'],
}

const PUBLIC = [
  '93.184.215.14',
  '8.8.8.8',
  '172.32.0.1',
  '1.1',
  '[2606:4700::1111]',
  '[::ffff:8.8.8.8]',
  // They end like private addresses, and carry none.
  '[2606:4700:4700::7f00:1]',
  '[2606:4700::1234:5efe:7f00:1]',
  '[2606:ff9b:1::1]',
]

const hostOf = (spelling: string): string => new URL(`http://${spelling}/`).hostname
const rows = (table: Readonly<Record<string, readonly string[]>>): (readonly [string, string])[] =>
  Object.entries(table).flatMap(([kind, spellings]) => spellings.map(spelling => [kind, spelling] as const))

describe('addresses in a URL', () => {
  test.each(rows(ALWAYS_REFUSED))('%s is always refused: %s', (_kind, spelling) => {
    expect(hostProblem(hostOf(spelling), false)).toMatch(/link-local|metadata|multicast|broadcast|NAT64/)
    expect(hostProblem(hostOf(spelling), true)).toBeDefined()
  })

  test.each(rows(PRIVATE))('%s is refused where private ones are: %s', (_kind, spelling) => {
    expect(hostProblem(hostOf(spelling), false)).toBeUndefined()
    expect(hostProblem(hostOf(spelling), true)).toMatch(/webhooks\.deny_private forbids$/)
  })

  test.each([
    ['127.0.0.1', 'loopback'],
    ['[::]', 'loopback'],
    ['10.0.0.1', 'private or reserved'],
    ['[2001:db8::1]', 'private or reserved'],
  ])('%s is said to be a %s one', (host, kind) => {
    expect(hostProblem(host, true)).toBe(
      `${host.replaceAll(/[[\]]/g, '')}, a ${kind} address, which webhooks.deny_private forbids`,
    )
  })

  test.each(PUBLIC)('a public one is taken: %s', spelling => {
    expect(hostProblem(hostOf(spelling), true)).toBeUndefined()
  })

  test.each(['example.com', 'localhost', 'metadata.google.internal', 'a9fe.example'])(
    'a name is judged when it is looked up: %s',
    host => {
      expect(hostProblem(host, true)).toBeUndefined()
    },
  )
})

/** Ways to write an IPv4 address as the host of a URL. */
const SPELLINGS: Readonly<Record<string, (octets: readonly number[]) => string>> = {
  decimal: octets => String(numberOf(octets)),
  hexadecimal: octets => `0x${numberOf(octets).toString(16)}`,
  'with zeros in front': octets => `0x0000${numberOf(octets).toString(16)}`,
  octal: octets => `0${numberOf(octets).toString(8)}`,
  'octets in hexadecimal': octets => octets.map(octet => `0x${octet.toString(16)}`).join('.'),
  'octets in octal': octets => octets.map(octet => `0${octet.toString(8)}`).join('.'),
  'octets in each of them': ([a, b, c, d]) => `0x${a!.toString(16)}.${b}.0${c!.toString(8)}.${d}`,
  'two parts': ([a, ...rest]) => `${a}.${numberOf(rest)}`,
  'three parts': ([a, b, ...rest]) => `${a}.${b}.${numberOf(rest)}`,
  'a dot at the end': octets => `${octets.join('.')}.`,
  'digits that are encoded': octets => octets.join('.').replaceAll(/\d/g, digit => `%3${digit}`),
  'dots that are encoded': octets => octets.join('%2e'),
  'wide digits': octets =>
    octets.join('.').replaceAll(/\d/g, digit => String.fromCodePoint(0xff10 + Number(digit))),
  'other dots': octets => octets.join('\u3002'),
  mapped: octets => `[::ffff:${octets.join('.')}]`,
  'mapped, in groups': octets => `[0:0:0:0:0:FFFF:${groupsOf(octets)}]`,
  translated: octets => `[::ffff:0:${groupsOf(octets)}]`,
  compatible: octets => `[::${groupsOf(octets)}]`,
  NAT64: octets => `[64:ff9b::${octets.join('.')}]`,
  '6to4': octets => `[2002:${groupsOf(octets)}::]`,
  Teredo: octets => `[2001:0:4136:e378:8000:63bf:${groupsOf(octets.map(octet => octet ^ 0xff))}]`,
  ISATAP: octets => `[2001:db8::5efe:${groupsOf(octets)}]`,
}

const METADATA = ['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192']
const OWN = ['127.0.0.1', '10.1.2.3', '172.16.0.9', '192.168.255.1', '100.64.0.9']

describe('an address in whatever spelling', () => {
  test.each(Object.entries(SPELLINGS))('%s', (_name, spell) => {
    for (const address of METADATA) {
      const host = hostOf(spell(address.split('.').map(Number)))
      expect([address, hostProblem(host, false) !== undefined]).toEqual([address, true])
    }
    for (const address of OWN) {
      const host = hostOf(spell(address.split('.').map(Number)))
      expect([address, hostProblem(host, true) !== undefined]).toEqual([address, true])
    }
  })
})

function numberOf(octets: readonly number[]): number {
  return octets.reduce((sum, octet) => sum * 256 + octet, 0)
}

function groupsOf([a, b, c, d]: readonly number[]): string {
  return `${((a! << 8) | b!).toString(16)}:${((c! << 8) | d!).toString(16)}`
}

describe('addresses that a name resolves to', () => {
  test('what is no address is refused', () => {
    for (const text of ['', 'localhost', '::g', '1.2.3.4.5'])
      expect(addressProblem(text, false)).toBeDefined()
  })

  test('a link-local one is refused with its zone', () => {
    expect(addressProblem('fe80::1%eth0', false)).toBe('fe80::1%eth0, a link-local address')
  })

  test('an IPv4 address is judged alike however IPv6 carries it', () => {
    const octet = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), fc.boolean(), (octets, denyPrivate) => {
        const plain = octets.join('.')
        const [a, b, c, d] = octets.map(value => value.toString(16).padStart(2, '0'))
        const refused = addressProblem(plain, denyPrivate) !== undefined
        for (const wrapped of [
          `::ffff:${plain}`,
          `64:ff9b::${plain}`,
          `2002:${a}${b}:${c}${d}::1`,
          `::ffff:${a}${b}:${c}${d}`,
        ]) {
          expect([wrapped, addressProblem(wrapped, denyPrivate) !== undefined]).toEqual([wrapped, refused])
        }
      }),
    )
  })
})

describe('the URL of a receiver', () => {
  const urlOf = (length: number): string => 'https://example.com/'.padEnd(length, 'x')

  test.each([
    ['https://hooks.example.com/a?b=c', undefined],
    ['http://localhost:9000', undefined],
    ['HTTP://EXAMPLE.COM', undefined],
    ['', 'must be an http or https URL'],
    ['hooks.example.com', 'must be an http or https URL'],
    ['ftp://example.com', 'must be an http or https URL'],
    ['file:///etc/passwd', 'must be an http or https URL'],
    ['javascript:alert(1)', 'must be an http or https URL'],
    ['http://', 'must be an http or https URL'],
    ['http://[::1', 'must be an http or https URL'],
    ['xhttp://example.com', 'must be an http or https URL'],
    ['https://ann:secret@example.com', 'must not contain a user or password'],
    ['https://ann@example.com', 'must not contain a user or password'],
    ['https://:secret@example.com', 'must not contain a user or password'],
    [urlOf(2048), undefined],
    [urlOf(2049), 'must be at most 2048 characters long'],
    ['http://169.254.169.254/latest', 'must not lead to 169.254.169.254, a link-local address'],
  ])('%s', (url, problem) => {
    expect(urlProblem(url, false)).toBe(problem)
  })
})
