/** Mutants of policies that live, by why nothing can tell them from the rules, or should. */
export const POLICIES: Readonly<Record<string, readonly string[]>> = {
  'an empty pattern is within another only where that is for all names': [
    "src/rules/scope.ts isNarrower: '*' → ''",
    "src/rules/scope.ts isNarrower: '*' → '' (3)",
  ],
  'a word that is neither `pass` nor `estimate` blocks': ["src/rules/limits.ts decideLimits: 'block' → ''"],
  'a score is looked for by its name, which a text does not have': [
    "src/rules/limits.ts decideLimits: [] → ['mutated'] (3)",
  ],
  'an empty range holds nothing, added or taken off': ['src/rules/window.ts signed: from <= to → from < to'],
}
