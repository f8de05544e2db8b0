const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
})

/** A run with one call of a model, as an exporter sends it. */
export const TRACES = {
  resourceSpans: [
    {
      resource: {
        attributes: [
          attribute('service.name', 'support-bot'),
          attribute('service.version', '1.0.0'),
          attribute('deployment.environment.name', 'dev'),
        ],
      },
      scopeSpans: [
        {
          spans: [
            {
              traceId: '5b8efff798038103d269b633813fc60c',
              spanId: 'eee19b7ec3c1b174',
              name: 'invoke_agent support-bot',
              startTimeUnixNano: '1769860740000000000',
              endTimeUnixNano: '1769860740840000000',
              attributes: [attribute('gen_ai.operation.name', 'invoke_agent')],
            },
            {
              traceId: '5b8efff798038103d269b633813fc60c',
              spanId: 'eee19b7ec3c1b175',
              parentSpanId: 'eee19b7ec3c1b174',
              name: 'chat gpt-4.1',
              startTimeUnixNano: '1769860740100000000',
              endTimeUnixNano: '1769860740800000000',
              attributes: [
                attribute('gen_ai.operation.name', 'chat'),
                attribute('gen_ai.request.model', 'gpt-4.1'),
                attribute('gen_ai.usage.input_tokens', 1200),
                attribute('gen_ai.usage.output_tokens', 300),
              ],
            },
          ],
        },
      ],
    },
  ],
}
