import { Changes, Row } from '../../components/changes.tsx'
import { Section } from '../../components/page.tsx'
import { Loaded } from '../../components/states.tsx'
import { Words } from '../../components/text.tsx'
import { counted } from '../../format.ts'
import { type Comparing, useFiles, useRelease } from '../../reads.ts'
import { lineDiff } from './line_diff.ts'
import { type FileChange, filesThatDiffer, settingsThatDiffer } from './settings.ts'

/** What is different about the two releases themselves: settings, tools, and the files of their bundles. */
export function WhatChanged({ comparing: { baseline, candidate } }: { comparing: Comparing }) {
  const [before, after] = [useRelease(baseline), useRelease(candidate)]
  return (
    <Section title="What changed">
      <Loaded known={after} lines={3}>
        {({ artifact_json: now, checksum }) => {
          if (before.data === undefined) return null
          const settings = settingsThatDiffer(before.data.artifact_json, now)
          const isSameBundle = before.data.checksum === checksum
          return (
            <>
              {settings.length === 0 ? (
                <p class="faint">
                  {isSameBundle ? 'Nothing: both are the same bundle.' : 'No setting in release.yaml.'}
                </p>
              ) : (
                <Changes what="Setting" sides={['Baseline', 'Candidate']}>
                  {settings.map(({ name, before: old, after: value }) => (
                    <Row
                      key={name}
                      name={name}
                      cells={[
                        <Side key="old" text={old} other={value} kind="removed" />,
                        <Side key="new" text={value} other={old} kind="added" />,
                      ]}
                      differs
                    />
                  ))}
                </Changes>
              )}
              {!isSameBundle && <Files baseline={baseline} candidate={candidate} />}
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

/** A value; of a list what the other side lacks stands out. */
function Side({
  text,
  other,
  kind,
}: {
  text: string | undefined
  other: string | undefined
  kind: 'added' | 'removed'
}) {
  if (text === undefined) return <span class="faint">none</span>
  const items = text.split(', ')
  const others = new Set(other?.split(', '))
  if (items.length + others.size <= 2) return <Words>{text}</Words>
  return (
    <span class="listed">
      {items.map(item =>
        others.has(item) ? (
          <Words key={item}>{item}</Words>
        ) : kind === 'added' ? (
          <ins key={item}>
            <Words>{item}</Words>
          </ins>
        ) : (
          <del key={item}>
            <Words>{item}</Words>
          </del>
        ),
      )}
    </span>
  )
}

function Files({ baseline, candidate }: { baseline: string; candidate: string }) {
  const [before, after] = [useFiles(baseline), useFiles(candidate)]
  return (
    <Loaded known={after} lines={2}>
      {({ files }) => {
        if (before.data === undefined) return null
        const isKnown = files.length > 0 && before.data.files.length > 0
        if (!isKnown) {
          return (
            <p class="faint">
              The bundles differ; which files do is not known of a release that was registered without their
              hashes.
            </p>
          )
        }
        const changed = filesThatDiffer(before.data.files, files)
        return (
          <>
            <p class="faint">
              {counted(changed.length, 'file')} of the bundle {changed.length === 1 ? 'differs' : 'differ'}.
            </p>
            <ul class="files">
              {changed.map(file => (
                <li key={file.path}>
                  <FileDiff file={file} />
                </li>
              ))}
            </ul>
          </>
        )
      }}
    </Loaded>
  )
}

function FileDiff({ file: { path, kind, before, after } }: { file: FileChange }) {
  const [old, now] = [before === undefined ? '' : before.text, after === undefined ? '' : after.text]
  const title = (
    <>
      <span class={`file-kind ${kind}`}>{kind}</span> <bdi class="mono">{path}</bdi>
    </>
  )
  if (old === null || now === null) {
    return (
      <p>
        {title} <span class="faint">its text was not kept (svc release register --store-files keeps it)</span>
      </p>
    )
  }
  return (
    <details open={old.length + now.length < 4000}>
      <summary>{title}</summary>
      <div class="line-diff mono" tabIndex={0} role="group" aria-label={`Lines of ${path} that differ`}>
        {lineDiff(old, now).map((line, index) => (
          <div key={index} class={line.kind}>
            <span class="hidden">
              {line.kind === 'added' || line.kind === 'removed' ? `${line.kind}: ` : ''}
            </span>
            {line.kind === 'gap' ? <span class="faint">{line.text}</span> : line.text || ' '}
          </div>
        ))}
      </div>
    </details>
  )
}
