package a2atest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// protoMessages are the messages of one version's protocol buffers, as their JSON
// has them: by name the members, each as "name:type", a list as "name:*type", a
// map with string keys as "name:%type", and a member of a oneof as "name:type!".
type protoMessages map[string]string

// What both versions have in common.
var protoCommon = protoMessages{
	"TaskArtifactUpdateEvent":     "taskId:string contextId:string artifact:Artifact append:bool lastChunk:bool metadata:Struct",
	"TaskStatus":                  "state:TaskState message:Message timestamp:Timestamp",
	"Task":                        "id:string contextId:string status:TaskStatus artifacts:*Artifact history:*Message metadata:Struct",
	"Artifact":                    "artifactId:string name:string description:string parts:*Part metadata:Struct extensions:*string",
	"SendMessageResponse":         "task:Task! message:Message!",
	"StreamResponse":              "task:Task! message:Message! statusUpdate:TaskStatusUpdateEvent! artifactUpdate:TaskArtifactUpdateEvent!",
	"Configs":                     "configs:*TaskPushNotificationConfig nextPageToken:string",
	"Empty":                       "",
	"AgentProvider":               "url:string organization:string",
	"AgentExtension":              "uri:string description:string required:bool params:Struct",
	"AgentCardSignature":          "protected:string signature:string header:Struct",
	"SecurityRequirement":         "schemes:%StringList",
	"StringList":                  "list:*string",
	"SecurityScheme":              "apiKeySecurityScheme:APIKeySecurityScheme! httpAuthSecurityScheme:HTTPAuthSecurityScheme! oauth2SecurityScheme:OAuth2SecurityScheme! openIdConnectSecurityScheme:OpenIdConnectSecurityScheme! mtlsSecurityScheme:MutualTlsSecurityScheme!",
	"APIKeySecurityScheme":        "description:string location:string name:string",
	"HTTPAuthSecurityScheme":      "description:string scheme:string bearerFormat:string",
	"OAuth2SecurityScheme":        "description:string flows:OAuthFlows oauth2MetadataUrl:string",
	"MutualTlsSecurityScheme":     "description:string",
	"OAuthFlows":                  "authorizationCode:Flow! clientCredentials:Flow! implicit:Flow! password:Flow! deviceCode:Flow!",
	"Flow":                        "authorizationUrl:string deviceAuthorizationUrl:string tokenUrl:string refreshUrl:string scopes:%string pkceRequired:bool",
	"OpenIdConnectSecurityScheme": "description:string openIdConnectUrl:string",
}

// Those of 1.0.
var proto10 = protoMessages{
	"Part":                       "text:string! raw:bytes! url:string! data:Value! metadata:Struct filename:string mediaType:string",
	"Message":                    "messageId:string contextId:string taskId:string role:Role parts:*Part metadata:Struct extensions:*string referenceTaskIds:*string",
	"TaskStatusUpdateEvent":      "taskId:string contextId:string status:TaskStatus metadata:Struct",
	"ListTasksResponse":          "tasks:*Task nextPageToken:string pageSize:int32 totalSize:int32",
	"TaskPushNotificationConfig": "tenant:string id:string taskId:string url:string token:string authentication:AuthenticationInfo",
	"AuthenticationInfo":         "scheme:string credentials:string",
	"AgentCard":                  "name:string description:string supportedInterfaces:*AgentInterface provider:AgentProvider version:string documentationUrl:string capabilities:AgentCapabilities securitySchemes:%SecurityScheme securityRequirements:*SecurityRequirement defaultInputModes:*string defaultOutputModes:*string skills:*AgentSkill signatures:*AgentCardSignature iconUrl:string",
	"AgentInterface":             "url:string protocolBinding:string tenant:string protocolVersion:string",
	"AgentCapabilities":          "streaming:bool pushNotifications:bool extensions:*AgentExtension extendedAgentCard:bool",
	"AgentSkill":                 "id:string name:string description:string tags:*string examples:*string inputModes:*string outputModes:*string securityRequirements:*SecurityRequirement",
}

// Those of 0.3, which are spoken over REST.
var proto03 = protoMessages{
	"Part":                       "text:string! file:FilePart! data:DataPart! metadata:Struct",
	"FilePart":                   "fileWithUri:string! fileWithBytes:bytes! mimeType:string name:string",
	"DataPart":                   "data:Struct",
	"Message":                    "messageId:string contextId:string taskId:string role:Role content:*Part metadata:Struct extensions:*string",
	"TaskStatusUpdateEvent":      "taskId:string contextId:string status:TaskStatus final:bool metadata:Struct",
	"TaskPushNotificationConfig": "name:string pushNotificationConfig:PushNotificationConfig",
	"PushNotificationConfig":     "id:string url:string token:string authentication:AuthenticationInfo",
	"AuthenticationInfo":         "schemes:*string credentials:string",
	"AgentCard":                  "protocolVersion:string name:string description:string url:string preferredTransport:string additionalInterfaces:*AgentInterface provider:AgentProvider version:string documentationUrl:string iconUrl:string capabilities:AgentCapabilities securitySchemes:%SecurityScheme security:*SecurityRequirement defaultInputModes:*string defaultOutputModes:*string skills:*AgentSkill supportsAuthenticatedExtendedCard:bool signatures:*AgentCardSignature",
	"AgentInterface":             "url:string transport:string",
	"AgentCapabilities":          "streaming:bool pushNotifications:bool extensions:*AgentExtension",
	"AgentSkill":                 "id:string name:string description:string tags:*string examples:*string inputModes:*string outputModes:*string security:*SecurityRequirement",
}

var protoStates = []string{
	"TASK_STATE_UNSPECIFIED", "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED", "TASK_STATE_FAILED",
	"TASK_STATE_INPUT_REQUIRED", "TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED",
}

// StrictParser reads JSON as a parser of protocol buffers does that ignores no
// unknown member. Seen counts what it has read, by message.
type StrictParser struct {
	own      protoMessages
	canceled string // the name of that state
	Seen     map[string]int
}

func NewStrictParser(version string) *StrictParser {
	p := &StrictParser{own: proto10, canceled: "TASK_STATE_CANCELED", Seen: map[string]int{}}
	if version == "0.3" {
		p.own, p.canceled = proto03, "TASK_STATE_CANCELLED"
	}
	return p
}

// Parse says what a strict parser would refuse in text, nil for nothing.
func (p *StrictParser) Parse(message string, text []byte) error {
	p.Seen[message]++
	return p.value(message, message, text)
}

func (p *StrictParser) value(path, kind string, raw json.RawMessage) error {
	raw = bytes.TrimSpace(raw)
	var err error
	ok := true
	switch kind {
	case "string":
		ok = raw[0] == '"'
	case "bool":
		ok = string(raw) == "true" || string(raw) == "false"
	case "int32":
		var n int32
		err = json.Unmarshal(raw, &n)
	case "bytes":
		var s string
		if err = json.Unmarshal(raw, &s); err == nil {
			_, err = base64.StdEncoding.DecodeString(s)
		}
	case "Role":
		ok = slices.Contains([]string{`"ROLE_USER"`, `"ROLE_AGENT"`}, string(raw))
	case "TaskState":
		name := strings.Trim(string(raw), `"`)
		ok = name == p.canceled || slices.Contains(protoStates, name)
	case "Timestamp":
		ok = isTimestamp(strings.Trim(string(raw), `"`))
	case "Struct":
		ok = raw[0] == '{' && json.Valid(raw)
	case "Value":
		ok = json.Valid(raw)
	default:
		return p.object(path, kind, raw)
	}
	if err == nil && !ok {
		err = fmt.Errorf("is no %s: %.80s", kind, raw)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

var transcriptTime = regexp.MustCompile(`^<time>$`)

func isTimestamp(s string) bool {
	_, err := time.Parse(time.RFC3339Nano, s)
	return err == nil && strings.HasSuffix(s, "Z") || transcriptTime.MatchString(s)
}

// object reads a message.
func (p *StrictParser) object(path, message string, raw json.RawMessage) error {
	members, known := p.own[message]
	if !known {
		members, known = protoCommon[message]
	}
	if !known {
		return fmt.Errorf("%s: there is no message %s", path, message)
	}
	if message == "StringList" && string(raw) == "[]" {
		return nil // see appendRequirement
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(raw, &got); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	one := ""
	for name, value := range got {
		kind, oneof, ok := memberKind(members, name)
		switch {
		case !ok:
			return fmt.Errorf("%s: %s has no member %q", path, message, name)
		case oneof && one != "":
			return fmt.Errorf("%s: has both %s and %s", path, one, name)
		case oneof:
			one = name
		}
		if err := p.member(path+"."+name, kind, value); err != nil {
			return err
		}
	}
	return nil
}

// memberKind finds "name:kind" in members.
func memberKind(members, name string) (kind string, oneof, ok bool) {
	for m := range strings.FieldsSeq(members) {
		if n, k, _ := strings.Cut(m, ":"); n == name {
			kind, oneof = strings.CutSuffix(k, "!")
			return kind, oneof, true
		}
	}
	return "", false, false
}

// member reads a single value, a list or a map.
func (p *StrictParser) member(path, kind string, raw json.RawMessage) error {
	if of, ok := strings.CutPrefix(kind, "*"); ok {
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil || list == nil {
			return fmt.Errorf("%s: is no list: %.80s", path, raw)
		}
		for i, v := range list {
			if err := p.value(fmt.Sprintf("%s[%d]", path, i), of, v); err != nil {
				return err
			}
		}
		return nil
	}
	if of, ok := strings.CutPrefix(kind, "%"); ok {
		var all map[string]json.RawMessage
		if err := json.Unmarshal(raw, &all); err != nil || all == nil {
			return fmt.Errorf("%s: is no map: %.80s", path, raw)
		}
		for key, v := range all {
			if err := p.value(path+"."+key, of, v); err != nil {
				return err
			}
		}
		return nil
	}
	return p.value(path, kind, raw)
}
