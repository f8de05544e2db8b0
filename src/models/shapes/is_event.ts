// Generated from src/models/documents by `npm run generate`, and never edited.
import { everyValue, finite, isFields, nameBytes, scoreNames, timestamp, type Fields, unitDigest, writesWithinInput } from '../checks.ts'
import type { RunEvent } from '../documents/run_event.ts'

/** Whether a value plainly is an event; of any other value the shape says what is wrong. */
export function isEvent(value: unknown): value is RunEvent {
  return isFields(value) && fits1(value)
}

/** Whether an event, or an object in it, has a field that the model doesn't know. */
export function hasUnknownField(value: Fields): boolean {
  for (const key in value) {
    switch (key) {
      case 'agent_id':
      case 'environment':
      case 'release_id':
      case 'run_id':
      case 'task_id':
      case 'tenant_id':
      case 'timestamp':
      case 'api_version':
      case 'labels':
      case 'scores':
      case 'type':
      case 'workspace_id':
        break
      case 'usage':
        if (isFields(value.usage) && hasUnknownField1(value.usage)) return true
        break
      case 'assignment':
        if (isFields(value.assignment) && hasUnknownField4(value.assignment)) return true
        break
      case 'metrics':
        if (isFields(value.metrics) && hasUnknownField5(value.metrics)) return true
        break
      case 'request':
        if (isFields(value.request) && hasUnknownField6(value.request)) return true
        break
      default:
        return true
    }
  }
  return false
}

function hasUnknownField1(value: Fields): boolean {
  for (const key in value) {
    switch (key) {
      case 'incomplete':
        break
      case 'model':
        if (isFields(value.model) && hasUnknownField2(value.model)) return true
        break
      case 'models':
        if (Array.isArray(value.models) && value.models.some(item => isFields(item) && hasUnknownField2(item))) return true
        break
      case 'tools':
        if (Array.isArray(value.tools) && value.tools.some(item => isFields(item) && hasUnknownField3(item))) return true
        break
      default:
        return true
    }
  }
  return false
}

function hasUnknownField2(value: Fields): boolean {
  for (const key in value) {
    switch (key) {
      case 'input_tokens':
      case 'model':
      case 'output_tokens':
      case 'provider':
      case 'cache_write_input_tokens':
      case 'cached_input_tokens':
      case 'served_model':
        break
      default:
        return true
    }
  }
  return false
}

function hasUnknownField3(value: Fields): boolean {
  for (const key in value) {
    switch (key) {
      case 'tool_name':
      case 'cost_units':
      case 'invocations':
        break
      default:
        return true
    }
  }
  return false
}

function hasUnknownField4(value: Fields): boolean {
  for (const key in value) {
    switch (key) {
      case 'unit':
        break
      default:
        return true
    }
  }
  return false
}

function hasUnknownField5(value: Fields): boolean {
  for (const key in value) {
    switch (key) {
      case 'error_type':
      case 'latency_ms':
      case 'success':
      case 'ttft_ms':
        break
      default:
        return true
    }
  }
  return false
}

function hasUnknownField6(value: Fields): boolean {
  for (const key in value) {
    switch (key) {
      case 'session_id':
      case 'span_id':
      case 'trace_id':
        break
      default:
        return true
    }
  }
  return false
}

function fits1(value: Fields): boolean {
  return (
    typeof value.agent_id === 'string' && value.agent_id.length <= 512 && value.agent_id.length >= 1 && nameBytes(value.agent_id) === undefined &&
    typeof value.environment === 'string' && value.environment.length <= 512 && value.environment.length >= 1 && nameBytes(value.environment) === undefined &&
    typeof value.release_id === 'string' && value.release_id.length <= 512 && value.release_id.length >= 1 && nameBytes(value.release_id) === undefined &&
    typeof value.run_id === 'string' && value.run_id.length <= 512 && value.run_id.length >= 1 && nameBytes(value.run_id) === undefined &&
    typeof value.task_id === 'string' && value.task_id.length <= 512 && nameBytes(value.task_id) === undefined &&
    typeof value.tenant_id === 'string' && value.tenant_id.length <= 512 && nameBytes(value.tenant_id) === undefined &&
    typeof value.timestamp === 'string' && timestamp(value.timestamp) === undefined &&
    isFields(value.usage) && fits2(value.usage) &&
    (value.api_version === undefined || (value.api_version === "v1")) &&
    (value.assignment === undefined || (isFields(value.assignment) && fits6(value.assignment) || (value.assignment === null))) &&
    (value.labels === undefined || isFields(value.labels) && fits7(value.labels)) &&
    (value.metrics === undefined || isFields(value.metrics) && fits8(value.metrics)) &&
    (value.request === undefined || (isFields(value.request) && fits9(value.request) || (value.request === null))) &&
    (value.scores === undefined || isFields(value.scores) && fits10(value.scores)) &&
    (value.type === undefined || (value.type === "run_end" || value.type === "run_start")) &&
    (value.workspace_id === undefined || typeof value.workspace_id === 'string' && value.workspace_id.length <= 512 && nameBytes(value.workspace_id) === undefined)
  )
}

function fits2(value: Fields): boolean {
  return (
    isFields(value.model) && fits3(value.model) &&
    (value.incomplete === undefined || (value.incomplete === false || value.incomplete === true)) &&
    (value.models === undefined || Array.isArray(value.models) && value.models.length <= 100 && value.models.every(item => isFields(item) && fits4(item))) &&
    (value.tools === undefined || Array.isArray(value.tools) && value.tools.every(item => isFields(item) && fits5(item)))
  )
}

function fits3(value: Fields): boolean {
  return (
    Number.isInteger(value.input_tokens) && (value.input_tokens as number) <= 1000000000000 && (value.input_tokens as number) >= 0 &&
    typeof value.model === 'string' && value.model.length <= 512 && value.model.length >= 1 && nameBytes(value.model) === undefined &&
    Number.isInteger(value.output_tokens) && (value.output_tokens as number) <= 1000000000000 && (value.output_tokens as number) >= 0 &&
    typeof value.provider === 'string' && value.provider.length <= 512 && value.provider.length >= 1 && nameBytes(value.provider) === undefined &&
    (value.cache_write_input_tokens === undefined || Number.isInteger(value.cache_write_input_tokens) && (value.cache_write_input_tokens as number) <= 1000000000000 && (value.cache_write_input_tokens as number) >= 0) &&
    (value.cached_input_tokens === undefined || Number.isInteger(value.cached_input_tokens) && (value.cached_input_tokens as number) <= 1000000000000 && (value.cached_input_tokens as number) >= 0) &&
    (value.served_model === undefined || typeof value.served_model === 'string' && value.served_model.length <= 512 && value.served_model.length >= 1 && nameBytes(value.served_model) === undefined) &&
    writesWithinInput(value as never) === undefined
  )
}

function fits4(value: Fields): boolean {
  return (
    Number.isInteger(value.input_tokens) && (value.input_tokens as number) <= 1000000000000 && (value.input_tokens as number) >= 0 &&
    typeof value.model === 'string' && value.model.length <= 512 && value.model.length >= 1 && nameBytes(value.model) === undefined &&
    Number.isInteger(value.output_tokens) && (value.output_tokens as number) <= 1000000000000 && (value.output_tokens as number) >= 0 &&
    typeof value.provider === 'string' && value.provider.length <= 512 && value.provider.length >= 1 && nameBytes(value.provider) === undefined &&
    (value.cache_write_input_tokens === undefined || Number.isInteger(value.cache_write_input_tokens) && (value.cache_write_input_tokens as number) <= 1000000000000 && (value.cache_write_input_tokens as number) >= 0) &&
    (value.cached_input_tokens === undefined || Number.isInteger(value.cached_input_tokens) && (value.cached_input_tokens as number) <= 1000000000000 && (value.cached_input_tokens as number) >= 0) &&
    (value.served_model === undefined || typeof value.served_model === 'string' && value.served_model.length <= 512 && value.served_model.length >= 1 && nameBytes(value.served_model) === undefined) &&
    writesWithinInput(value as never) === undefined
  )
}

function fits5(value: Fields): boolean {
  return (
    typeof value.tool_name === 'string' &&
    (value.cost_units === undefined || typeof value.cost_units === 'number' && !Number.isNaN(value.cost_units) && value.cost_units >= 0 && finite(value.cost_units) === undefined) &&
    (value.invocations === undefined || Number.isInteger(value.invocations) && (value.invocations as number) <= 9007199254740991 && (value.invocations as number) >= 0)
  )
}

function fits6(value: Fields): boolean {
  return (
    (value.unit === undefined || (typeof value.unit === 'string' && unitDigest(value.unit) === undefined || (value.unit === null)))
  )
}

function fits7(value: Fields): boolean {
  return (
    everyValue(value, field => typeof field === 'string')
  )
}

function fits8(value: Fields): boolean {
  return (
    (value.error_type === undefined || (typeof value.error_type === 'string' || (value.error_type === null))) &&
    (value.latency_ms === undefined || (Number.isInteger(value.latency_ms) && (value.latency_ms as number) <= 10000000000 && (value.latency_ms as number) >= 0 || (value.latency_ms === null))) &&
    (value.success === undefined || (value.success === false || value.success === true)) &&
    (value.ttft_ms === undefined || (Number.isInteger(value.ttft_ms) && (value.ttft_ms as number) <= 10000000000 && (value.ttft_ms as number) >= 0 || (value.ttft_ms === null)))
  )
}

function fits9(value: Fields): boolean {
  return (
    (value.session_id === undefined || (typeof value.session_id === 'string' && value.session_id.length <= 512 && nameBytes(value.session_id) === undefined || (value.session_id === null))) &&
    (value.span_id === undefined || (typeof value.span_id === 'string' && value.span_id.length <= 512 && nameBytes(value.span_id) === undefined || (value.span_id === null))) &&
    (value.trace_id === undefined || (typeof value.trace_id === 'string' && value.trace_id.length <= 512 && nameBytes(value.trace_id) === undefined || (value.trace_id === null)))
  )
}

function fits10(value: Fields): boolean {
  return (
    everyValue(value, field => typeof field === 'number' && !Number.isNaN(field) && field <= 1000000 && field >= -1000000) &&
    scoreNames(value as never) === undefined
  )
}
