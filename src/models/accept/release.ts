// Generated from src/models/documents by `npm run generate`, and never edited.
import { nameBytes, dateOrTimestamp, finite, fallbackFits } from '../checks.ts'
import type { Release } from '../documents/release.ts'
import { type Fields, type Known, everyValue, isFields } from '../acceptor_parts.ts'

/** The document with its defaults where this plainly is one; for anything else undefined, and the model's word counts. */
export function accept(value: unknown): Release | undefined {
  return isFields(value) && fits1(value) ? (value as unknown as Release) : undefined
}

/** The fields that the model knows. */
export const KNOWN: Known = {
  "api_version": true,
  "kind": true,
  "metadata": {
    "name": true,
    "version": true,
    "created_at": true,
    "created_by": true,
    "description": true
  },
  "spec": {
    "agent": {
      "agent_id": true,
      "entrypoint": true
    },
    "pricing_reference": {
      "pricing_version": true,
      "provider": true
    },
    "runtime": {
      "model": true,
      "provider": true,
      "max_output_tokens": true,
      "temperature": true
    },
    "prompts": {
      "system_ref": true,
      "template_refs": true
    },
    "routing": {
      "fallback": {
        "model": true,
        "on_error": true
      },
      "strategy": true
    },
    "safety": {
      "retry_policy": {
        "backoff_ms": true,
        "max_retries": true
      },
      "timeouts_ms": {
        "model_call": true,
        "tool_call": true
      }
    },
    "tools": {
      "manifest_ref": true,
      "tool_names": true
    }
  },
  "tags": true
}

function fits1(value: Fields): boolean {
  return (
    (value.api_version === "v1") &&
    (value.kind === "Release") &&
    isFields(value.metadata) && fits2(value.metadata) &&
    isFields(value.spec) && fits3(value.spec) &&
    (value.tags === undefined || (isFields(value.tags) && fits14(value.tags) || value.tags === null))
  )
}

function fits2(value: Fields): boolean {
  return (
    typeof value.name === 'string' && value.name.length >= 1 && value.name.length <= 512 && nameBytes(value.name) === undefined &&
    typeof value.version === 'string' && value.version.length >= 1 && value.version.length <= 512 && nameBytes(value.version) === undefined &&
    (value.created_at === undefined || (typeof value.created_at === 'string' && dateOrTimestamp(value.created_at) === undefined || value.created_at === null)) &&
    (value.created_by === undefined || (typeof value.created_by === 'string' || value.created_by === null)) &&
    (value.description === undefined || (typeof value.description === 'string' || value.description === null))
  )
}

function fits3(value: Fields): boolean {
  return (
    isFields(value.agent) && fits4(value.agent) &&
    isFields(value.pricing_reference) && fits5(value.pricing_reference) &&
    isFields(value.runtime) && fits6(value.runtime) &&
    (value.prompts === undefined || (isFields(value.prompts) && fits7(value.prompts) || value.prompts === null)) &&
    (value.routing === undefined || (isFields(value.routing) && fits8(value.routing) || value.routing === null)) &&
    (value.safety === undefined || (isFields(value.safety) && fits10(value.safety) || value.safety === null)) &&
    (value.tools === undefined || (isFields(value.tools) && fits13(value.tools) || value.tools === null))
  )
}

function fits4(value: Fields): boolean {
  return (
    typeof value.agent_id === 'string' && value.agent_id.length >= 1 && value.agent_id.length <= 512 && nameBytes(value.agent_id) === undefined &&
    (value.entrypoint === undefined || (typeof value.entrypoint === 'string' || value.entrypoint === null))
  )
}

function fits5(value: Fields): boolean {
  return (
    typeof value.pricing_version === 'string' && value.pricing_version.length >= 1 && value.pricing_version.length <= 512 && nameBytes(value.pricing_version) === undefined &&
    typeof value.provider === 'string' && value.provider.length >= 1 && value.provider.length <= 512 && nameBytes(value.provider) === undefined
  )
}

function fits6(value: Fields): boolean {
  return (
    typeof value.model === 'string' && value.model.length >= 1 && value.model.length <= 512 && nameBytes(value.model) === undefined &&
    typeof value.provider === 'string' && value.provider.length >= 1 && value.provider.length <= 512 && nameBytes(value.provider) === undefined &&
    (value.max_output_tokens === undefined || (Number.isInteger(value.max_output_tokens) || value.max_output_tokens === null)) &&
    (value.temperature === undefined || (typeof value.temperature === 'number' && !Number.isNaN(value.temperature) && finite(value.temperature) === undefined || value.temperature === null))
  )
}

function fits7(value: Fields): boolean {
  return (
    typeof value.system_ref === 'string' && value.system_ref.length >= 1 &&
    (value.template_refs === undefined || (Array.isArray(value.template_refs) && value.template_refs.every(item => typeof item === 'string') || value.template_refs === null))
  )
}

function fits8(value: Fields): boolean {
  return (
    (value.fallback === undefined || (isFields(value.fallback) && fits9(value.fallback) || value.fallback === null)) &&
    (value.strategy === undefined || ((value.strategy === "fallback_model") || (value.strategy === "single_model") || value.strategy === null)) &&
    fallbackFits(value as never) === undefined
  )
}

function fits9(value: Fields): boolean {
  return (
    (value.model === undefined || typeof value.model === 'string' && value.model.length >= 1 && value.model.length <= 512 && nameBytes(value.model) === undefined) &&
    (value.on_error === undefined || (typeof value.on_error === 'boolean' || value.on_error === null))
  )
}

function fits10(value: Fields): boolean {
  return (
    (value.retry_policy === undefined || (isFields(value.retry_policy) && fits11(value.retry_policy) || value.retry_policy === null)) &&
    (value.timeouts_ms === undefined || (isFields(value.timeouts_ms) && fits12(value.timeouts_ms) || value.timeouts_ms === null))
  )
}

function fits11(value: Fields): boolean {
  return (
    (value.backoff_ms === undefined || (Number.isInteger(value.backoff_ms) || value.backoff_ms === null)) &&
    (value.max_retries === undefined || (Number.isInteger(value.max_retries) || value.max_retries === null))
  )
}

function fits12(value: Fields): boolean {
  return (
    (value.model_call === undefined || (Number.isInteger(value.model_call) || value.model_call === null)) &&
    (value.tool_call === undefined || (Number.isInteger(value.tool_call) || value.tool_call === null))
  )
}

function fits13(value: Fields): boolean {
  return (
    (value.manifest_ref === undefined || (typeof value.manifest_ref === 'string' || value.manifest_ref === null)) &&
    (value.tool_names === undefined || (Array.isArray(value.tool_names) && value.tool_names.every(item => typeof item === 'string') || value.tool_names === null))
  )
}

function fits14(value: Fields): boolean {
  return (
    everyValue(value, field => typeof field === 'string')
  )
}
