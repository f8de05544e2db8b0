import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Who, likeness } from '../../../src/rules/four_eyes.ts'

const by = (issuer: string, subject: string) => ({ issuer, subject })

const CASES: readonly [what: string, one: Who, other: Who, likeness: ReturnType<typeof likeness>][] = [
  [
    'a subject under two names',
    { name: 'ann', identity: by('i', '1') },
    { name: 'bob', identity: by('i', '1') },
    'same',
  ],
  [
    'two subjects',
    { name: 'ann', identity: by('i', '1') },
    { name: 'bob', identity: by('i', '2') },
    'different',
  ],
  [
    'two subjects of one name',
    { name: 'ann', identity: by('i', '1') },
    { name: 'Ann', identity: by('i', '2') },
    'alike',
  ],
  [
    'two subjects of names that look alike',
    { name: 'ann', identity: by('i', '1') },
    { name: 'аnn', identity: by('i', '2') },
    'alike',
  ],
  [
    'subjects that differ in case',
    { name: 'x', identity: by('i', 'a') },
    { name: 'y', identity: by('i', 'A') },
    'different',
  ],
  [
    'one subject of two issuers',
    { name: 'ann', identity: by('i', '1') },
    { name: 'bob', identity: by('j', '1') },
    'different',
  ],
  [
    'one name of two issuers',
    { name: 'ann', identity: by('i', '1') },
    { name: 'ann', identity: by('j', '2') },
    'same',
  ],
  ['one name, proven once', { name: 'ann', identity: by('i', '1') }, { name: ' ANN' }, 'same'],
  ['names alone', { name: 'ann' }, { name: 'bob' }, 'different'],
  ['names that look alike, in Cyrillic', { name: 'ann' }, { name: 'аnn' }, 'alike'],
  ['names that look alike as a whole', { name: 'cope' }, { name: 'соре' }, 'alike'],
  ['names that look alike in capitals', { name: 'BEN' }, { name: 'ВЕΝ' }, 'alike'],
  ['names that look alike by a digit', { name: 'olga' }, { name: '0lga' }, 'alike'],
  ['names of another script that look like nothing else', { name: 'жук' }, { name: 'zhuk' }, 'different'],
]

test.each(CASES)('%s', (_what, one, other, wanted) => {
  expect(likeness(one, other)).toBe(wanted)
  expect(likeness(other, one)).toBe(wanted)
})

test('nobody is another than oneself', () => {
  const who = fc.record({
    name: fc.string({ unit: 'grapheme', minLength: 1 }),
    identity: fc.option(fc.record({ issuer: fc.string(), subject: fc.string() }), { nil: undefined }),
  })
  fc.assert(
    fc.property(who, one => {
      expect(likeness(one, { ...one })).toBe('same')
    }),
  )
})
