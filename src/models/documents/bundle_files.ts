import { Checksum, Count, Identifier } from '../scalars.ts'
import { object } from '../model.ts'

const BundleFile = object({
  '+': 'reject',
  sha256: [Checksum, 'SHA-256 of the file as the checksum of the bundle reads it: text with LF line ends.'],
  bytes: [Count, 'Its length as it is read so.'],
  'text?': ['string | null', 'Its text, where that is to be kept.'],
})

export const BundleFiles = object(
  'The files of a bundle by their paths, relative to its root: what each is, and its text if it is to be kept.',
  { '[string]': BundleFile },
)
export type BundleFiles = typeof BundleFiles.infer

/** GET /v1/releases/{release_id}/files */
export const ReleaseFiles = object(
  "The files of a release's bundle, as far as they were told at its registration.",
  {
    release_id: [Identifier, 'The release.'],
    files: object('The files by path; empty where none were told.', {
      path: ['string', 'Path relative to the root of the bundle.'],
      sha256: [
        Checksum,
        'SHA-256 of the file as the checksum of the bundle reads it: text with LF line ends.',
      ],
      bytes: [Count, 'Its length as it is read so.'],
      text: ['string | null', 'Its text; null where it was not to be kept.'],
    }).array(),
  },
)
export type ReleaseFiles = typeof ReleaseFiles.infer
