import { endpoint } from '../../src/http/endpoint/endpoint.ts'

export default endpoint({
  route: 'GET /v1/workspace',
  access: 'read',
  scope: 'shared',
  summary: 'Public view of the workspace',
  answers: { 200: 'WorkspacePublic' },
  answer: function workspacePublic(_input, { workspace, version }) {
    return {
      api_version: 'v1',
      kind: 'WorkspacePublic',
      promotion_requires_approval: workspace.promotion_requires_approval,
      pricing_catalog_configured: (workspace.pricing_catalog_path ?? '') !== '',
      server_version: version,
      ...(workspace.environments === undefined ? {} : { environments: workspace.environments }),
    }
  },
})
