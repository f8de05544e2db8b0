import { type KeyObject, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A certificate and its key, as PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

export interface Authority {
  /** Its own certificate, as PEM. */
  readonly cert: string
  /** One for a server of this name, good until `until`, by default for a day. */
  issue(dnsName: string, until?: Date): Certificate
}

/** An authority that nobody trusts by itself, with certificates for the servers of tests (RFC 5280). */
export function makeAuthority(): Authority {
  const name = 'Authority of tests'
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const tomorrow = new Date(Date.now() + 86_400_000)
  const certify = (subject: string, key: KeyObject, until: Date, extension: Buffer): string =>
    certificate({ issuer: name, subject, key, until, extension, signer: keys.privateKey })
  return {
    cert: certify(name, keys.publicKey, tomorrow, IS_AUTHORITY),
    issue(dnsName, until = tomorrow) {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      return {
        cert: certify(dnsName, own.publicKey, until, subjectAltName(dnsName)),
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      }
    },
  }
}

interface CertificateInput {
  readonly issuer: string
  readonly subject: string
  readonly key: KeyObject
  readonly until: Date
  readonly extension: Buffer
  readonly signer: KeyObject
}

function certificate({ issuer, subject, key, until, extension, signer }: CertificateInput): string {
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer),
    sequence(time(new Date(0)), time(until)),
    distinguishedName(subject),
    key.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  )
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', signed, signer)]))
  const text = sequence(signed, ECDSA_WITH_SHA256, signature).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${text.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function oid(...bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes))
}

function distinguishedName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(commonName)))))
}

/** UTCTime: YYMMDDHHMMSSZ. */
function time(date: Date): Buffer {
  return der(0x17, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))
}

const ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))

const IS_AUTHORITY = sequence(
  oid(0x55, 0x1d, 0x13),
  der(0x01, Buffer.from([0xff])),
  der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
)

function subjectAltName(dnsName: string): Buffer {
  return sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(der(0x82, Buffer.from(dnsName)))))
}
