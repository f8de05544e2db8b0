/** Runs of programs that make other than one. */
export const RUNS: Readonly<Record<string, number>> = {}

const NO_CACHE = 'cached tokens are not exported'

/** What exports leave out that nothing in them tells, by program. */
export const UPSTREAM: Readonly<Record<string, string>> = {
  openinference_py_mistralai: NO_CACHE,
  openinference_py_smolagents: NO_CACHE,
  openinference_py_haystack: NO_CACHE,
  semantic_kernel: NO_CACHE,
  semantic_kernel_stream: NO_CACHE,
  otel_py_botocore_invoke: NO_CACHE,
  otel_py_openai: NO_CACHE,
  otel_py_openai_stream: NO_CACHE,
  genkit: NO_CACHE,
  spring: NO_CACHE,
}
