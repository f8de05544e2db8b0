import { Checksum, Count, Identifier } from '../scalars.ts'
import { object } from '../model.ts'

const BundleFile = object({
  '+': 'reject',
  sha256: [Checksum, 'SHA-256 of the file as the checksum of the bundle reads it: text with LF line ends.'],
  bytes: [Count, 'Its length in bytes, in the same form.'],
  'text?': ['string | null', 'Its text; left out if it is not to be stored.'],
})

export const BundleFiles = object(
  'The files of a bundle by their paths, relative to its root: hash, length, and the text if it is to be stored.',
  { '[string]': BundleFile },
)
export type BundleFiles = typeof BundleFiles.infer

/** GET /v1/releases/{release_id}/files */
export const ReleaseFiles = object("The files of a release's bundle, as its registration named them.", {
  release_id: [Identifier, 'The release.'],
  files: object('The files by path; empty if the registration named none.', {
    path: ['string', 'Path relative to the root of the bundle.'],
    sha256: [Checksum, 'SHA-256 of the file as the checksum of the bundle reads it: text with LF line ends.'],
    bytes: [Count, 'Its length in bytes, in the same form.'],
    text: ['string | null', 'Its text; null if it was not stored.'],
  }).array(),
})
export type ReleaseFiles = typeof ReleaseFiles.infer
