import { type } from 'arktype'
import { documented } from '../docs.ts'
import { Checksum, Count, Identifier } from '../scalars.ts'

const BundleFile = type({ '+': 'reject', sha256: Checksum, bytes: Count, 'text?': 'string | null' })

/** The files of a bundle by their paths in it. */
export const BundleFiles = type({ '[string]': BundleFile })
export type BundleFiles = typeof BundleFiles.infer

export const bundleFiles = documented(BundleFiles, {
  title: 'BundleFiles',
  description:
    'The files of a bundle by their paths, relative to its root: what each is, and its text if it is to be kept.',
  fields: {
    '.*.sha256': 'SHA-256 of the file as the checksum of the bundle reads it: text with LF line ends.',
    '.*.bytes': 'Its length as it is read so.',
    '.*.text': 'Its text, where that is to be kept.',
  },
})

/** GET /v1/releases/{release_id}/files */
export const ReleaseFiles = type({
  release_id: Identifier,
  files: type({ path: 'string', sha256: Checksum, bytes: Count, text: 'string | null' }).array(),
})
export type ReleaseFiles = typeof ReleaseFiles.infer

export const releaseFiles = documented(ReleaseFiles, {
  title: 'ReleaseFiles',
  description: "The files of a release's bundle, as far as they were told at its registration.",
  fields: {
    release_id: 'The release.',
    files: 'The files by path; empty where none were told.',
    'files[].path': 'Path relative to the root of the bundle.',
    'files[].sha256': 'SHA-256 of the file as the checksum of the bundle reads it: text with LF line ends.',
    'files[].bytes': 'Its length as it is read so.',
    'files[].text': 'Its text; null where it was not to be kept.',
  },
})
