import type { DescMessage, JsonValue } from '@bufbuild/protobuf'
import { create, createFileRegistry, fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf'
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt'

/** A field: its number, and a scalar or the name of a message; `*` is a list. */
type Fields = Readonly<Record<string, readonly [number: number, type: string]>>

/** The messages of opentelemetry-proto that traces are made of, as far as anything reads them. */
const MESSAGES: Readonly<Record<string, Fields>> = {
  ExportTraceServiceRequest: { resource_spans: [1, '*ResourceSpans'] },
  ResourceSpans: { resource: [1, 'Resource'], scope_spans: [2, '*ScopeSpans'], schema_url: [3, 'STRING'] },
  Resource: { attributes: [1, '*KeyValue'], dropped_attributes_count: [2, 'UINT32'] },
  ScopeSpans: { scope: [1, 'InstrumentationScope'], spans: [2, '*Span'], schema_url: [3, 'STRING'] },
  InstrumentationScope: { name: [1, 'STRING'], version: [2, 'STRING'], attributes: [3, '*KeyValue'] },
  Span: {
    trace_id: [1, 'BYTES'],
    span_id: [2, 'BYTES'],
    trace_state: [3, 'STRING'],
    parent_span_id: [4, 'BYTES'],
    name: [5, 'STRING'],
    kind: [6, 'INT32'],
    start_time_unix_nano: [7, 'FIXED64'],
    end_time_unix_nano: [8, 'FIXED64'],
    attributes: [9, '*KeyValue'],
    dropped_attributes_count: [10, 'UINT32'],
    events: [11, '*Event'],
    dropped_events_count: [12, 'UINT32'],
    links: [13, '*Link'],
    dropped_links_count: [14, 'UINT32'],
    status: [15, 'Status'],
    flags: [16, 'FIXED32'],
  },
  Event: {
    time_unix_nano: [1, 'FIXED64'],
    name: [2, 'STRING'],
    attributes: [3, '*KeyValue'],
    dropped_attributes_count: [4, 'UINT32'],
  },
  Link: {
    trace_id: [1, 'BYTES'],
    span_id: [2, 'BYTES'],
    attributes: [4, '*KeyValue'],
    flags: [6, 'FIXED32'],
  },
  Status: { message: [2, 'STRING'], code: [3, 'INT32'] },
  KeyValue: { key: [1, 'STRING'], value: [2, 'AnyValue'] },
  AnyValue: {
    string_value: [1, 'STRING'],
    bool_value: [2, 'BOOL'],
    int_value: [3, 'INT64'],
    double_value: [4, 'DOUBLE'],
    array_value: [5, 'ArrayValue'],
    kvlist_value: [6, 'KeyValueList'],
    bytes_value: [7, 'BYTES'],
  },
  ArrayValue: { values: [1, '*AnyValue'] },
  KeyValueList: { values: [1, '*KeyValue'] },
  ExportTraceServiceResponse: { partial_success: [1, 'ExportTracePartialSuccess'] },
  ExportTracePartialSuccess: { rejected_spans: [1, 'INT64'], error_message: [2, 'STRING'] },
  RpcStatus: { code: [1, 'INT32'], message: [2, 'STRING'] },
}

const registry = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: 'otlp.proto',
    package: 'otlp',
    syntax: 'proto3',
    messageType: Object.entries(MESSAGES).map(([name, fields]) => ({
      name,
      field: Object.entries(fields).map(([field, [number, type]]) => fieldOf(name, field, number, type)),
      oneofDecl: name === 'AnyValue' ? [{ name: 'value' }] : [],
    })),
  }),
  () => undefined,
)

function fieldOf(message: string, name: string, number: number, type: string) {
  const plain = type.replace('*', '')
  const scalar = Type[plain as keyof typeof Type] as Type | undefined
  return {
    name,
    jsonName: name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    number,
    label: type.startsWith('*') ? Label.REPEATED : Label.OPTIONAL,
    type: scalar ?? Type.MESSAGE,
    ...(scalar === undefined ? { typeName: `.otlp.${plain}` } : {}),
    ...(message === 'AnyValue' ? { oneofIndex: 0 } : {}),
  }
}

function schema(name: string): DescMessage {
  return registry.getMessage(`otlp.${name}`)!
}

/** Bytes of a message, from protobuf's own JSON, in which bytes are base64. */
export function encode(name: string, json: JsonValue): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(toBinary(schema(name), fromJson(schema(name), json)))
}

/** Protobuf's own JSON of a message. Throws for what is none. */
export function decode(name: string, bytes: Uint8Array): JsonValue {
  return toJson(schema(name), fromBinary(schema(name), bytes), { registry })
}
