import type { WebhookFormat } from '../models/names.ts'

/** The URL of a webhook as it may be shown. Whoever has that of a chat can write there: its host is all that is shown. */
export function shownUrl(format: WebhookFormat, url: string): string {
  return format === 'json' ? url : `${new URL(url).origin}/…`
}

/** Shortest piece of a path that is taken for a secret, characters. */
const SECRET_CHARS = 6

/** A text, such as an answer or an error, without what is secret of a chat's URL: servers like to repeat the path. */
export function withoutSecretUrl(format: WebhookFormat, url: string, text: string): string {
  if (format === 'json') return text
  const { pathname, search, searchParams } = new URL(url)
  const pieces = [
    url,
    pathname + search,
    pathname,
    ...search.slice(1).split(/[&=]/),
    ...searchParams.values(),
    ...pathname.split('/').flatMap(part => [part, decoded(part)]),
  ]
  const secrets = pieces.filter(piece => piece.length >= SECRET_CHARS).toSorted((a, b) => b.length - a.length)
  return secrets.reduce((left, secret) => left.replaceAll(secret, '…'), text)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
